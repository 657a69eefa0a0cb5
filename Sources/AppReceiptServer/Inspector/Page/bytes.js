// The structure of bytes and the bytes themselves. Selecting an element highlights its bytes, and vice versa. Only visible
// rows are drawn, and only opened elements are parsed. A reader supplies the elements: of a container here, of a token in segments.js.

import { count, h, hexByte, icon, replace, shown } from "./dom.js";
import { attributeAt, ATTRIBUTES, children, describe, readElement, tagName } from "./asn1.js";

const TREE_ROW = 26;
const HEX_ROW = 22;

export function bytesPanel(context) {
  const bytes = context.binary();
  const reader = containerReader(bytes);
  if (!reader.root) return h("p", { class: "empty" }, "These bytes aren't valid ASN.1.");
  const { content, start, revealOffset } = structureView(bytes, reader);
  context.revealOffset = revealOffset;
  requestAnimationFrame(start);
  return [context.notice(), h("p", { class: "hint" },
    "Use the arrow keys to navigate. Octet strings that contain an element can be expanded."), content];
}

/**
 * The views of a structure and its bytes: `{content, start, revealOffset}`. `start` is called after the content was inserted.
 *
 * A reader has `label`, `root`, `children(element)`, `name(element)`, `role(item)`, `note(item)`, `describe(element, maxLength)`,
 * and optionally `initial(top, open)`, which expands elements, and `place(element)`, which describes the position.
 */
export function structureView(bytes, reader) {
  const status = h("p", { class: "selection", role: "status" });
  const hex = hexView(bytes, (offset) => tree.revealOffset(offset));
  const tree = treeView(reader, (node) => {
    hex.mark(node.element);
    describeSelection(status, reader, node);
  });
  const [treeTitle, hexTitle] = [`tree-title-${views += 1}`, `hex-title-${views}`];
  hex.place.setAttribute("aria-describedby", hexTitle);
  return { content: [h("div", { class: "bytes" },
    h("section", { class: "tree-pane", "aria-labelledby": treeTitle }, h("h4", { id: treeTitle }, "Structure"), tree.place),
    h("section", { class: "hex-pane", "aria-labelledby": hexTitle }, h("h4", { id: hexTitle }, "Bytes"), hex.place)),
  status], start: tree.start, revealOffset: tree.revealOffset };
}

let views = 0;

/** Reads the elements of a container, in BER. */
function containerReader(bytes) {
  return {
    label: "Elements of the container", root: readElement(bytes, 0, bytes.length, { steps: 2_000_000 }),
    children: (element) => children(bytes, element), name: tagName, role, note: (item) => note(bytes, item.element, item.parent),
    describe: (element, maxLength) => describe(bytes, element, maxLength),
    place: (element) => (element.isIndefinite ? ", indefinite length" : ""),
    initial(top, open) {
      // Expanded down to the attributes.
      let item = top;
      for (const index of [1, 0, 2, 1, 0, 0]) {
        if (!canOpen(this, item)) break;
        open(item);
        if (!item.kids[index]) break;
        item = item.kids[index];
      }
      if (item.role === "attributes") open(item);
    },
  };
}

function describeSelection(status, reader, node) {
  const { element } = node;
  const value = reader.describe(element, 400);
  replace(status, h("strong", {}, node.name), ` at ${element.start} (0x${element.start.toString(16)}): `,
    `header ${element.content - element.start}, content ${count(element.contentEnd - element.content, "byte")}`,
    reader.place?.(element),
    value !== null && value !== "" && [" · ", h("span", { class: "receipt-text" }, shown(value))]);
}

// The structure.

/** A node: an element, its depth and, once opened, its children. */
function node(reader, element, depth, parent, index = 0) {
  const item = { element, depth, parent, index, name: reader.name(element), role: null, note: null, kids: null, isOpen: false };
  item.role = reader.role?.(item) ?? null;
  item.note = reader.note?.(item) ?? item.role;
  return item;
}

/** The name of a member of a container, by its position. */
function role({ element, parent, index }) {
  if (!parent) return "ContentInfo";
  if (parent.role === "certificates") return "Certificate";
  if (parent.role === "signerInfos") return "SignerInfo";
  if (parent.role === "SignedData" && index > 2) return element.tagClass === 2 ? (element.tag === 0 ? "certificates" : "crls") : "signerInfos";
  return ROLES[parent.role]?.[index] ?? null;
}

/** The names of a structure's members, by position (RFC 5652, RFC 5280). */
const ROLES = {
  ContentInfo: ["contentType", "content"], content: ["SignedData"],
  SignedData: ["version", "digestAlgorithms", "encapContentInfo"], encapContentInfo: ["contentType", "eContent"],
  eContent: ["payload"], payload: ["attributes"],
  SignerInfo: ["version", "sid", "digestAlgorithm", "signatureAlgorithm", "signature"],
  Certificate: ["tbsCertificate", "signatureAlgorithm", "signature"],
  tbsCertificate: ["version", "serialNumber", "signature", "issuer", "validity", "subject", "subjectPublicKeyInfo", "extensions"],
  validity: ["notBefore", "notAfter"],
};

/** The name of an element in a receipt, by its position. */
function note(bytes, element, parent) {
  const attribute = attributeAt(bytes, element);
  if (attribute && parent && parent.element.tag === 17) {
    return `${attribute.type} · ${(ATTRIBUTES[attribute.type] ?? ["unknown attribute"])[0]}`;
  }
  return null;
}

function canOpen(reader, item) {
  const { element } = item;
  if (item.depth > 60 || element === null) return false;
  if (element.isConstructed) return element.contentEnd > element.content;
  return item.kids !== null ? item.kids.length > 0 : reader.children(element).elements.length > 0;
}

function open(reader, item) {
  if (!item.kids) {
    const { elements, stoppedAt } = reader.children(item.element);
    item.kids = elements.map((element, index) => node(reader, element, item.depth + 1, item, index));
    if (stoppedAt !== null) {
      item.kids.push({
        element: { start: stoppedAt, content: stoppedAt, contentEnd: item.element.contentEnd, end: item.element.contentEnd, tag: -1, tagClass: 0, isConstructed: false },
        depth: item.depth + 1, parent: item, role: null, name: "malformed", note: "not an element", kids: [], isOpen: false,
      });
    }
  }
  item.isOpen = item.kids.length > 0;
}

let trees = 0;

function treeView(reader, onselect) {
  const top = node(reader, reader.root, 0, null);
  let visible = [];
  let selected = top;
  const space = h("div", { class: "tree-space", role: "none" });
  const windowed = h("div", { class: "tree-window", role: "none" });
  space.append(windowed);
  const place = h("div", { class: "tree", role: "tree", tabindex: "0", "aria-label": reader.label }, space);

  function flatten() {
    visible = [];
    const stack = [top];
    while (stack.length > 0) {
      const item = stack.pop();
      visible.push(item);
      if (item.isOpen) for (let index = item.kids.length - 1; index >= 0; index -= 1) stack.push(item.kids[index]);
    }
    visible.forEach((item, index) => { item.index = index; });
    space.style.height = `${visible.length * TREE_ROW}px`;
  }

  function draw() {
    const first = Math.max(0, Math.floor(place.scrollTop / TREE_ROW) - 4);
    const last = Math.min(visible.length, first + Math.ceil((place.clientHeight || 400) / TREE_ROW) + 9);
    windowed.style.transform = `translateY(${first * TREE_ROW}px)`;
    replace(windowed, visible.slice(first, last).map(row));
    if (selected.index >= first && selected.index < last) place.setAttribute("aria-activedescendant", id(selected));
    else place.removeAttribute("aria-activedescendant");
  }

  const prefix = `node-${trees += 1}`;
  const id = (item) => `${prefix}-${item.element.start}-${item.depth}`;

  function row(item) {
    const isOpenable = canOpen(reader, item);
    const value = item.element.tag < 0 ? null : reader.describe(item.element, 40);
    const indent = h("span", { class: "indent" });
    indent.style.width = `${Math.min(item.depth, 24) * 13}px`;
    const siblings = item.parent?.kids ?? [top];
    const line = h("div", {
      role: "treeitem", id: id(item), class: `node ${item === selected ? "is-selected" : ""}`, "aria-level": item.depth + 1,
      "aria-setsize": siblings.length, "aria-posinset": siblings.indexOf(item) + 1, "aria-selected": String(item === selected),
      "aria-expanded": isOpenable ? String(item.isOpen) : null,
      onclick: (event) => {
        if (event.target.closest(".twist") && isOpenable) toggle(item);
        select(item, false);
      },
      ondblclick: () => isOpenable && toggle(item),
    }, h("span", { class: "node-offset" }, String(item.element.start)),
    indent,
    h("span", { class: `twist ${isOpenable ? "" : "is-leaf"}` }, isOpenable && icon("open")),
    h("span", { class: `node-name ${item.element.tag < 0 ? "is-bad" : ""}` }, item.name),
    item.note && h("span", { class: "node-note" }, item.note),
    value && h("span", { class: "node-value receipt-text" }, shown(value)));
    return line;
  }

  function toggle(item) {
    if (item.isOpen) item.isOpen = false;
    else open(reader, item);
    flatten();
    draw();
  }

  function select(item, scrolls = true) {
    selected = item;
    if (scrolls) {
      const y = item.index * TREE_ROW;
      if (y < place.scrollTop) place.scrollTop = y;
      else if (y + TREE_ROW > place.scrollTop + place.clientHeight) place.scrollTop = y + TREE_ROW - place.clientHeight;
    }
    draw();
    onselect(item);
  }

  /** The deepest element that contains an offset. */
  function revealOffset(offset) {
    let item = top;
    for (let depth = 0; depth < 64; depth += 1) {
      if (offset < item.element.content || !canOpen(reader, item)) break;
      const wasOpen = item.isOpen;
      open(reader, item);
      const child = find(item.kids, offset);
      if (!child) {
        item.isOpen = wasOpen;
        break;
      }
      item = child;
    }
    flatten();
    select(item);
    // Centered, so that adjacent elements are visible.
    place.scrollTop = Math.max(0, item.index * TREE_ROW - place.clientHeight / 2);
    draw();
  }

  function find(kids, offset) {
    let [low, high] = [0, kids.length - 1];
    while (low <= high) {
      const middle = (low + high) >> 1;
      const { start, end } = kids[middle].element;
      if (offset < start) high = middle - 1;
      else if (offset >= end) low = middle + 1;
      else return kids[middle];
    }
    return null;
  }

  place.addEventListener("scroll", draw, { passive: true });
  place.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(place.clientHeight / TREE_ROW) - 1);
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -visible.length, End: visible.length }[event.key];
    if (by !== undefined) select(visible[Math.min(visible.length - 1, Math.max(0, selected.index + by))]);
    else if (event.key === "ArrowRight") {
      if (selected.isOpen) select(selected.kids[0]);
      else if (canOpen(reader, selected)) toggle(selected);
    } else if (event.key === "ArrowLeft") {
      if (selected.isOpen) toggle(selected);
      else if (selected.parent) select(selected.parent);
    } else if (event.key === "Enter" || event.key === " ") {
      if (canOpen(reader, selected)) toggle(selected);
    } else return;
    event.preventDefault();
  });

  // Before `start`: a key can be pressed before the first frame.
  reader.initial?.(top, (item) => open(reader, item));
  flatten();
  return { place, revealOffset, start: () => select(selected) };
}

// The bytes.

function hexView(bytes, onchoose) {
  let columns = 16;
  let marked = null;
  let cursor = 0;
  // Draw nothing before the width is known.
  let isLaidOut = false;
  const space = h("div", { class: "hex-space" });
  const windowed = h("div", { class: "hex-window" });
  space.append(windowed);
  const place = h("div", { class: "hex-view", tabindex: "0", role: "group", "aria-label": "Bytes in hexadecimal. Use the arrow keys to select a byte." }, space);

  function layout() {
    columns = place.clientWidth >= 530 ? 16 : 8;
    space.style.height = `${Math.ceil(bytes.length / columns) * HEX_ROW}px`;
    if (!isLaidOut) {
      isLaidOut = true;
      reveal(cursor);
    }
    draw();
  }

  function draw() {
    const first = Math.max(0, Math.floor(place.scrollTop / HEX_ROW) - 3);
    const last = Math.min(Math.ceil(bytes.length / columns), first + Math.ceil((place.clientHeight || 400) / HEX_ROW) + 7);
    windowed.style.transform = `translateY(${first * HEX_ROW}px)`;
    const rows = [];
    for (let line = first; line < last; line += 1) rows.push(row(line * columns));
    replace(windowed, rows);
  }

  function kind(offset) {
    if (!marked || offset < marked.start || offset >= marked.end) return offset === cursor ? " at" : "";
    return (offset < marked.content || offset >= marked.contentEnd ? " head" : " body") + (offset === cursor ? " at" : "");
  }

  function row(from) {
    const to = Math.min(bytes.length, from + columns);
    const digits = [];
    const letters = [];
    for (let offset = from; offset < to; offset += 1) {
      const value = bytes[offset];
      digits.push(h("span", { class: `b${kind(offset)}`, "data-o": offset }, hexByte(value)));
      letters.push(h("span", { class: `c${kind(offset)}`, "data-o": offset },
        value >= 0x20 && value < 0x7f ? String.fromCharCode(value) : "·"));
    }
    return h("div", { class: "hex-row" }, h("span", { class: "hex-offset" }, from.toString(16).padStart(6, "0")),
      h("span", { class: "hex-digits" }, digits), h("span", { class: "hex-letters", "aria-hidden": "true" }, letters));
  }

  function reveal(offset) {
    const y = Math.floor(offset / columns) * HEX_ROW;
    if (y < place.scrollTop || y + HEX_ROW > place.scrollTop + place.clientHeight) {
      place.scrollTop = Math.max(0, y - place.clientHeight / 3);
    }
  }

  function mark(element) {
    marked = element;
    if (cursor < element.start || cursor >= element.end) cursor = element.start;
    if (!isLaidOut) return;
    reveal(cursor);
    draw();
  }

  function choose(offset) {
    cursor = Math.min(bytes.length - 1, Math.max(0, offset));
    onchoose(cursor);
    reveal(cursor);
    draw();
  }

  place.addEventListener("scroll", draw, { passive: true });
  place.addEventListener("click", (event) => {
    const offset = event.target.closest("[data-o]")?.getAttribute("data-o");
    if (offset) choose(Number(offset));
  });
  place.addEventListener("keydown", (event) => {
    const page = Math.max(1, Math.floor(place.clientHeight / HEX_ROW) - 1) * columns;
    const by = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns, PageDown: page, PageUp: -page }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose(cursor + by);
  });
  new ResizeObserver(() => { if (place.clientWidth > 0) layout(); }).observe(place);
  return { place, mark };
}
