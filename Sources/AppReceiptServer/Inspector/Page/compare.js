// Compares two inputs: fields that differ, and purchases that were added, removed or changed.

import { bytesBase64, count, h, icon, identifier, milliseconds, part, replace, receiptText, scrolling, see, time } from "./dom.js";
import { dropped, picked } from "./files.js";
import { paged } from "./paged.js";
import { RequestFailure } from "./api.js";
import { asJSON, isObject, lookup, numberOf, written } from "./values.js";
import { SAMPLES } from "./samples.js";
import { PURCHASE_FIELDS, RECEIPT_FIELDS } from "./words.js";

export function comparePanel(context) {
  const { document, ask } = context;
  const result = h("div", { class: "compare-result", "aria-live": "polite" });
  const text = h("textarea", { id: "other-text", rows: "4", spellcheck: "false", autocomplete: "off", "aria-describedby": "other-hint" });
  const file = h("input", { type: "file", id: "other-file", class: "picker", onchange: async (event) => {
    const files = [...event.target.files];
    event.target.value = "";
    await run(async () => {
      const input = await picked(files);
      return { input: bytesBase64(input.bytes), name: input.name };
    });
  } });
  const select = h("select", { id: "other-sample", onchange: () => { if (select.value) run(async () => ({ sample: select.value })); } },
    h("option", { value: "" }, "A sample…"), SAMPLES.map(([id, title]) => h("option", { value: id }, title)));

  async function run(input) {
    replace(result, h("p", { class: "muted" }, "Comparing…"));
    try {
      const other = await ask(await input());
      replace(result, part(() => differences(document, other)));
    } catch (error) {
      const failure = error instanceof RequestFailure ? error : new RequestFailure(error.message, "Choose another file.");
      replace(result, h("div", { class: "notice bad" }, icon("warn"), h("span", {}, h("strong", {}, failure.message), " ", failure.remedy, " ", see(failure.documentation))));
    }
  }

  const pasted = () => run(async () => ({ input: bytesBase64(new TextEncoder().encode(text.value)) }));
  const place = h("div", { class: "compare-input", "data-drop": "own" },
    h("label", { for: "other-text" }, "Compare with"),
    h("p", { class: "hint", id: "other-hint" }, "Paste or drop another receipt or token, or choose one. The same expectations apply."),
    text,
    h("div", { class: "row" },
      h("button", { type: "button", class: "primary", onclick: () => {
        if (text.value.trim()) pasted();
        else replace(result, h("p", { class: "empty" }, "Paste a receipt or token first."));
      } }, "Compare"),
      h("label", { class: "button", for: "other-file" }, "Choose file…"), file,
      h("label", { class: "unseen", for: "other-sample" }, "Compare with a sample"), select));
  text.addEventListener("paste", () => setTimeout(() => { if (text.value.trim()) pasted(); }));
  place.addEventListener("drop", (event) => {
    event.preventDefault();
    const reading = dropped(event.dataTransfer);
    run(async () => {
      const input = await reading;
      if (!input) throw new Error("The dropped item can't be read.");
      return { input: bytesBase64(input.bytes ?? new TextEncoder().encode(input.text)), name: input.name ?? undefined };
    });
  });
  return [place, result];
}

function differences(left, right) {
  const head = h("div", { class: "scroll" }, h("table", { class: "data" }, h("caption", { class: "unseen" }, "Verdicts of both"),
    h("thead", {}, h("tr", {}, ["", "Verdict", "Environment", "Created"].map((words) =>
      words ? h("th", { scope: "col" }, words) : h("td", {})))),
    h("tbody", {}, [["This input", left], ["Other input", right]].map(([name, document]) => h("tr", {},
      h("th", { scope: "row" }, name, document.input.name && [" ", h("span", { class: "muted" }, receiptText(document.input.name))]),
      h("td", {}, h("span", { class: `state ${document.verdict === "valid" ? "active" : "canceled"}` }, document.verdict === "valid" ? "Valid" : "Not valid"),
        document.trust === "sample" && h("span", { class: "tag" }, "sample, test root")),
      h("td", {}, document.environment ? receiptText(document.environment) : (document.statedEnvironment ? receiptText(`claims ${document.statedEnvironment}`) : "unknown")),
      h("td", {}, document.validationDate ? time(document.validationDate, "minute") : ""))))));
  if (!right.receipt && !right.payload) {
    return [head, h("p", { class: "notice bad" }, icon("warn"), h("span", {}, "The other input can't be read: ", receiptText(right.failure?.message ?? "")))];
  }
  if (Boolean(left.receipt) !== Boolean(right.receipt)) {
    return [head, h("p", { class: "empty" }, "One input is a receipt and the other is signed data. They have no fields in common.")];
  }
  const fields = left.receipt
    ? changedFields(flat(left.receipt, new Set(["purchases", "attributes"])), flat(right.receipt, new Set(["purchases", "attributes"])))
    : changedFields(membersOf(left), membersOf(right));
  const names = left.receipt ? RECEIPT_FIELDS : {};
  return [head, fieldsSection(fields, left.receipt ? "Fields" : "Members", names), left.receipt && purchasesSection(left.receipt.purchases, right.receipt.purchases)];
}

/** The members of signed data and of its nested signed data. */
function membersOf(document) {
  const into = flat(document.payload);
  for (const [name, payload] of Object.entries(document.nested ?? {})) flat(payload, new Set(), [`${name} ›`, ""], into);
  return into;
}

/**
 * Every value by its path: `{name, last, value}`. Paths are compared as lists, because a name may contain a dot. An object
 * without members is a value too.
 */
function flat(object, leftOut = new Set(), path = [], into = new Map()) {
  for (const [name, value] of Object.entries(object ?? {})) {
    if (leftOut.has(name)) continue;
    const place = [...path, name];
    if (isObject(value) && Object.keys(value).length > 0 && place.length < MAX_DEPTH) flat(value, new Set(), place, into);
    else into.set(JSON.stringify(place), { name: place.filter(Boolean).join(".").replace("›.", "› "), last: name, value });
  }
  return into;
}

/** The maximum depth, which is larger than the server's. */
const MAX_DEPTH = 40;

/** The differences. A number differs from a text of the same digits. */
function changedFields(left, right) {
  const json = (field) => (field === undefined ? undefined : asJSON(field.value));
  return [...new Set([...left.keys(), ...right.keys()])]
    .filter((key) => json(left.get(key)) !== json(right.get(key)))
    .map((key) => {
      const [mine, theirs] = [left.get(key), right.get(key)];
      const { name, last } = mine ?? theirs;
      // If both look equal, show them as JSON, with quotation marks.
      const write = mine && theirs && written(mine.value) === written(theirs.value) ? asJSON : null;
      return { name, last, left: mine, right: theirs, write };
    })
    .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

/** A value for display: a date in the selected time zone, a long text shortened. */
function value(side, { last, write }) {
  if (side === undefined) return h("span", { class: "muted" }, "absent");
  if (write) return shortened(write(side.value));
  const instant = typeof side.value === "string" ? side.value : numberOf(side.value);
  if (instant !== null && /(Date|^date)$/.test(last) && milliseconds(instant) !== null) return time(instant);
  return shortened(written(side.value));
}

const shortened = (text) => receiptText(text.length > 120 ? `${text.slice(0, 100)}… (${text.length} characters)` : text);

/** Apple's name of a field, or the member's name. */
function named(names, name) {
  const words = lookup(names, name) ?? name;
  return receiptText(words, /[ A-Z]/.test(words.slice(0, 1)) ? "span" : "code");
}

function fieldsSection(fields, title, names) {
  if (fields.length === 0) return [h("h4", {}, title), h("p", { class: "empty" }, "No fields differ.")];
  const body = h("tbody");
  const pages = paged(body, (field) => h("tr", {}, h("th", { scope: "row" }, named(names, field.name)),
    h("td", {}, value(field.left, field)), h("td", {}, value(field.right, field))), { size: 100, noun: "difference" });
  pages.show(fields);
  return [h("h4", {}, title), scrolling("Fields that differ", {},
    h("table", { class: "data" }, h("caption", { class: "unseen" }, "Fields that differ"),
      h("thead", {}, h("tr", {}, ["Field", "This input", "Other input"].map((words) => h("th", { scope: "col" }, words)))), body)), pages.bar];
}

/** Purchases by transaction identifier. Xcode reuses identifiers, so equal ones are numbered. */
function keyed(purchases) {
  const map = new Map();
  const seen = new Map();
  for (const purchase of purchases) {
    const name = written(purchase.transactionIdentifier ?? "");
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    map.set(`${name}#${number}`, purchase);
  }
  return map;
}

function purchasesSection(left, right) {
  const [mine, theirs] = [keyed(left), keyed(right)];
  const rows = [];
  const leftOut = new Set(["attributes"]);
  for (const [key, purchase] of theirs) {
    if (!mine.has(key)) rows.push({ kind: "added", purchase, changes: [] });
  }
  for (const [key, purchase] of mine) {
    const other = theirs.get(key);
    if (!other) rows.push({ kind: "removed", purchase, changes: [] });
    else {
      const changes = changedFields(flat(purchase, leftOut), flat(other, leftOut));
      if (changes.length > 0) rows.push({ kind: "changed", purchase, changes });
    }
  }
  const number = (kind) => rows.filter((row) => row.kind === kind).length;
  const same = left.length - number("removed") - number("changed");
  const summary = h("p", { class: "compare-summary" },
    h("span", { class: "state active" }, `${number("added")} only in the other input`),
    h("span", { class: "state canceled" }, `${number("removed")} only in this input`),
    h("span", { class: "state warn" }, `${number("changed")} changed`),
    h("span", { class: "muted" }, `${count(same, "purchase")} unchanged`));
  if (rows.length === 0) return [h("h4", {}, "Purchases"), summary];
  const words = { added: ["active", "Only in the other input"], removed: ["canceled", "Only in this input"], changed: ["warn", "Changed"] };
  const body = h("tbody");
  const pages = paged(body, (row) => h("tr", { "data-change": row.kind },
    h("td", {}, h("span", { class: `state ${words[row.kind][0]}` }, words[row.kind][1])),
    h("th", { scope: "row" }, identifier(row.purchase.productIdentifier ?? "unknown product", { label: "product identifier" })),
    h("td", { class: "number" }, identifier(row.purchase.transactionIdentifier ?? "", { label: "transaction" })),
    h("td", {}, row.changes.length === 0 ? row.purchase.purchaseDate && time(row.purchase.purchaseDate, "minute")
      : h("ul", { class: "changes" }, row.changes.map((change) => h("li", {}, named(PURCHASE_FIELDS, change.name), ": ", value(change.left, change), " → ", value(change.right, change)))))),
  { size: 50, noun: "difference" });
  pages.show(rows);
  return [h("h4", {}, "Purchases"), summary,
    scrolling("Purchases that differ", {},
      h("table", { class: "data" }, h("caption", { class: "unseen" }, "Purchases that differ"),
        h("thead", {}, h("tr", {}, ["Difference", "Product", "Transaction", "Purchase date or changes"].map((title) => h("th", { scope: "col" }, title)))), body)), pages.bar];
}
