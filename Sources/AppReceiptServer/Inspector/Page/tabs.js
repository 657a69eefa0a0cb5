// Tabs by the ARIA pattern: arrow keys, Home and End select a tab. A panel is built when it is first shown.

import { h, part, replace } from "./dom.js";

let number = 0;

/** The width of the fade at an end of the row. */
const FADE = 40;

/**
 * Creates tabs from `[{id, title, badge, build}]`. `build` returns the panel's content. `first` is the tab that is shown
 * initially, if it exists, and `ontab` is called when another is selected.
 */
export function tabs(label, list, { first, ontab = () => {} } = {}) {
  number += 1;
  const prefix = `tabs-${number}`;
  const buttons = list.map((tab) => h("button", {
    type: "button", role: "tab", id: `${prefix}-tab-${tab.id}`, "aria-controls": `${prefix}-panel-${tab.id}`,
    "aria-selected": "false", tabindex: "-1", "data-tab": tab.id, onclick: () => select(tab.id),
  }, tab.title, tab.badge !== undefined && h("span", { class: "badge" }, tab.badge)));
  const panels = list.map((tab) => h("div", {
    role: "tabpanel", id: `${prefix}-panel-${tab.id}`, "aria-labelledby": `${prefix}-tab-${tab.id}`, tabindex: "0",
    class: "panel", hidden: true,
  }));
  const built = new Set();

  function choose(id, focuses = false) {
    list.forEach((tab, index) => {
      const isChosen = tab.id === id;
      buttons[index].setAttribute("aria-selected", String(isChosen));
      buttons[index].tabIndex = isChosen ? 0 : -1;
      panels[index].hidden = !isChosen;
      if (!isChosen) return;
      if (!built.has(id)) {
        built.add(id);
        replace(panels[index], part(tab.build));
      }
      if (focuses) buttons[index].focus({ preventScroll: true });
      reveal(buttons[index]);
    });
  }

  function select(id, focuses = false) {
    choose(id, focuses);
    ontab(id);
  }

  const row = h("div", { role: "tablist", "aria-label": label, class: "tabs", onkeydown: (event) => {
    const at = buttons.indexOf(event.target.closest("[role=tab]"));
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: list.length - 1 }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    select(list[(to + list.length) % list.length].id, true);
  } }, buttons);
  // On a narrow screen the row scrolls, and fades where there is more.
  function mark() {
    const rest = row.scrollWidth - row.clientWidth;
    row.classList.toggle("has-before", row.scrollLeft > 1);
    row.classList.toggle("has-after", rest - row.scrollLeft > 1);
  }

  function reveal(button) {
    const [from, to] = [button.offsetLeft - FADE, button.offsetLeft + button.offsetWidth + FADE];
    if (from < row.scrollLeft) row.scrollLeft = from;
    else if (to > row.scrollLeft + row.clientWidth) row.scrollLeft = to - row.clientWidth;
  }

  row.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(() => {
    reveal(buttons.find((button) => button.tabIndex === 0));
    mark();
  }).observe(row);
  choose(list.some((tab) => tab.id === first) ? first : list[0].id);
  return { row, panels, choose: select };
}
