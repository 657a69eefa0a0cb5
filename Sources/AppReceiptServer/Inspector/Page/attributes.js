// Every attribute of the receipt: number, name, decoded value and bytes.

import { count, h, hexOf, icon, identifier, receiptText, scrolling, time } from "./dom.js";
import { ATTRIBUTES, attributesIn, attributeValue, DOCUMENTED } from "./asn1.js";
import { paged } from "./paged.js";

export function attributesPanel(context) {
  const found = context.payload();
  if (!found) {
    return h("p", { class: "empty" }, "No attributes were found in the container. See Bytes for its structure.");
  }
  const all = attributesIn(found.bytes, found.set);
  const own = all.filter((attribute) => attribute.type !== 17).sort((a, b) => a.type - b.type || a.start - b.start);
  const purchases = all.length - own.length;
  return [context.notice(),
    !found.isInPlace && h("p", { class: "hint" },
      "The payload is in pieces, which were joined. Offsets count from the start of the payload."),
    attributeTable(own, found.bytes, context, { caption: "Attributes of the receipt", isInPlace: found.isInPlace }),
    purchases > 0 && h("p", { class: "hint" }, count(purchases, "attribute"),
      ` of type 17, the purchases, ${purchases === 1 ? "isn't" : "aren't"} listed here. `,
      h("button", { type: "button", class: "link", onclick: () => context.choose("purchases", true) }, "Show purchases"))];
}

/** A table of the attributes of a receipt or of a purchase. */
export function attributeTable(list, bytes, context, { caption, isInPlace }) {
  const body = h("tbody");
  const pages = paged(body, (attribute) => row(attribute, bytes, context, isInPlace), { size: 100, noun: "attribute" });
  pages.show(list);
  return [scrolling(caption, {}, h("table", { class: "data attributes" },
    h("caption", { class: "unseen" }, caption),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Type"), h("th", { scope: "col" }, "Attribute"),
      h("th", { scope: "col" }, "Value"), h("th", { scope: "col" }, "Bytes"),
      h("th", { scope: "col" }, h("span", { class: "unseen" }, "Place")))),
    body)), pages.bar];
}

const MAX_SHOWN = 16;

/** The attributes that identify something. */
const IDENTIFIERS = new Set([1, 2, 11, 15, 16, 1702, 1703, 1705, 1710, 1711, 1721]);

function row(attribute, bytes, context, isInPlace) {
  const [name] = ATTRIBUTES[attribute.type] ?? ["Unknown"];
  const length = attribute.to - attribute.from;
  return h("tr", { "data-attribute": attribute.type },
    h("th", { scope: "row", class: "number" }, String(attribute.type),
      attribute.version !== "1" && h("span", { class: "muted" }, ` v${attribute.version}`)),
    h("td", { class: "attribute-name" }, name, !DOCUMENTED.has(attribute.type) && h("span", { class: "aside" },
      ATTRIBUTES[attribute.type] ? "undocumented" : "unknown")),
    h("td", {}, value(bytes, attribute)),
    h("td", { class: "hex" }, raw(bytes, attribute, length)),
    h("td", {}, isInPlace && h("button", { type: "button", class: "quiet small",
      "aria-label": `Show attribute ${attribute.type} in the bytes`, onclick: () => context.showBytes(attribute.from) },
    "Show", icon("open"))));
}

function value(bytes, attribute) {
  const decoded = attributeValue(bytes, attribute);
  if (!decoded) return h("span", { class: "muted" }, attribute.from === attribute.to ? "empty" : `${count(attribute.to - attribute.from, "byte")}, not decoded`);
  if (decoded.text === "") return h("span", { class: "muted" }, "empty");
  if (decoded.kind === "date") return time(decoded.text);
  return IDENTIFIERS.has(attribute.type) ? identifier(decoded.text, { label: ATTRIBUTES[attribute.type][0].toLowerCase() }) : receiptText(decoded.text);
}

function raw(bytes, attribute, length) {
  if (length <= MAX_SHOWN) return hexOf(bytes, attribute.from, attribute.to);
  return h("details", {}, h("summary", {}, `${hexOf(bytes, attribute.from, attribute.from + 12)} … `,
    h("span", { class: "muted" }, count(length, "byte"))),
  h("div", { class: "wrap" }, hexOf(bytes, attribute.from, Math.min(attribute.to, attribute.from + 4096))));
}
