// Shows long lists a page at a time.

import { announce, count, h, part, replace } from "./dom.js";

/**
 * Shows rows in `body` with `draw(row)`, `size` rows at a time. `show(rows)` starts at the first page.
 */
export function paged(body, draw, { size = 50, noun = "row", many } = {}) {
  let rows = [];
  let page = 0;
  const words = h("span", { class: "muted" });
  const back = h("button", { type: "button", class: "quiet", onclick: () => turn(-1) }, "Previous");
  const forth = h("button", { type: "button", class: "quiet", onclick: () => turn(1) }, "Next");
  const bar = h("div", { class: "pager" }, words, h("span", { class: "pager-buttons" }, back, forth));

  function turn(step) {
    page += step;
    write();
    announce(words.textContent);
  }

  function write() {
    const last = Math.max(0, Math.ceil(rows.length / size) - 1);
    page = Math.min(Math.max(page, 0), last);
    const from = page * size;
    const shown = rows.slice(from, from + size);
    replace(body, shown.map((row) => part(() => draw(row))));
    words.textContent = rows.length > size
      ? `${(from + 1).toLocaleString("en")}–${(from + shown.length).toLocaleString("en")} of ${count(rows.length, noun, many)}`
      : count(rows.length, noun, many);
    back.disabled = page === 0;
    forth.disabled = page === last;
    bar.classList.toggle("is-short", rows.length <= size);
  }

  return { bar, show(list) {
    rows = list;
    page = 0;
    write();
  } };
}
