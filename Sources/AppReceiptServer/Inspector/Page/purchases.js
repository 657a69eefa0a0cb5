// The purchases in a table that can be sorted and filtered, in pages of fifty rows.

import { announce, count, h, icon, identifier, milliseconds, part, receiptText, replace, scrolling, shown, time } from "./dom.js";
import { paged } from "./paged.js";
import { lookup, numberOf, written } from "./values.js";
import { attributesIn, readElement } from "./asn1.js";
import { attributeTable } from "./attributes.js";
import { revocations } from "./history.js";
import { stateOf } from "./products.js";

const TYPES = { 0: "Non-consumable", 1: "Consumable", 2: "Non-renewing", 3: "Subscription" };

/** The maximum number of types in the filter. Apple has four; a forged receipt may state any number. */
const MAX_TYPES = 50;

export const typeName = (type) => (type === undefined ? "" : lookup(TYPES, type) ?? `type ${written(type)}`);

/**
 * The state of a purchase: of the product's entitlement, if this transaction determines it, otherwise of the transaction alone.
 * A period that was running when the receipt was created may have been renewed since.
 */
export function state(purchase, { now, made, products, revoked }) {
  const product = products.get(written(purchase.transactionIdentifier ?? ""));
  if (product) {
    const { words, tone } = stateOf(product);
    const isOpen = product.state === "owned" && !product.isActive;
    return [isOpen ? "used" : FILTERED[product.state] ?? "ended", words, TONES[tone] ?? ""];
  }
  if (purchase.cancellationDate) return ["canceled", "Canceled", "canceled"];
  if (revoked.has(written(purchase.transactionIdentifier ?? ""))) return ["canceled", "Refunded or revoked", "canceled"];
  if (purchase.expirationDate) {
    const end = Date.parse(purchase.expirationDate);
    if (end > now) return ["active", "Active", "active"];
    return made !== null && end > made ? ["unknown", "Renewal unknown", "warn"] : ["ended", "Period ended", ""];
  }
  return purchase.productType === 1 || purchase.productType === 2 ? ["used", "Bought", ""] : ["owned", "Owned", "active"];
}

const TONES = { good: "active", warn: "warn", bad: "canceled" };

/** The entries of the filter for the states of entitlements. */
const FILTERED = {
  active: "active", gracePeriod: "active", owned: "owned", renewalUnknown: "unknown", billingRetry: "unknown", refunded: "canceled", revoked: "canceled",
};

export function marks(purchase) {
  return [
    purchase.isTrialPeriod && "Trial", purchase.isInIntroductoryOfferPeriod && "Introductory",
    purchase.promotionalOfferIdentifier && `Offer ${written(purchase.promotionalOfferIdentifier)}`,
  ].filter(Boolean);
}

const COLUMNS = [
  ["product", "Product", (p) => p.productIdentifier ?? ""],
  ["type", "Type", (p) => typeName(p.productType)],
  ["bought", "Bought", (p) => Date.parse(p.purchaseDate) || 0],
  ["until", "Until", (p) => Date.parse(p.expirationDate) || 0],
  ["state", "State", (p, times) => state(p, times)[1]],
  ["transaction", "Transaction", (p) => p.transactionIdentifier ?? ""],
  ["original", "Original", (p) => p.originalTransactionIdentifier ?? ""],
];

const STATES = [["", "Any state"], ["active", "Active"], ["unknown", "Renewal unknown"], ["ended", "Ended"],
  ["canceled", "Canceled"], ["owned", "Owned"], ["used", "Bought"]];

export function purchasesPanel(context) {
  const { document, notice } = context;
  const times = {
    now: Date.parse(document.now), made: milliseconds(document.validationDate),
    revoked: revocations(document),
    products: new Map((document.products ?? []).map((product) => [written(product.transactionIdentifier ?? ""), product])),
  };
  const purchases = document.receipt.purchases.map((purchase, index) => ({ ...purchase, index }));
  if (purchases.length === 0) {
    return [notice(), h("p", { class: "empty" },
      "This receipt contains no in-app purchases. Finished consumables are removed from receipts.")];
  }
  const searched = purchases.map((p) => [p.productIdentifier, p.transactionIdentifier, p.originalTransactionIdentifier,
    p.promotionalOfferIdentifier, p.webOrderLineItemIdentifier].filter(Boolean).map(written).join("\n").toLowerCase());
  let sorting = { column: "bought", isDescending: true };

  const body = h("tbody");
  const pages = paged(body, (purchase) => row(purchase, times, context), { noun: "purchase" });
  const search = h("input", { type: "search", id: "purchase-search", placeholder: "Product or transaction", spellcheck: "false", autocomplete: "off" });
  const types = h("select", { id: "purchase-type" }, h("option", { value: "" }, "Any type"),
    [...new Map(purchases.map((p) => [written(p.productType), p.productType]))]
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)).slice(0, MAX_TYPES)
      .map(([value, type]) => h("option", { value }, type === undefined ? "Unknown" : typeName(type))));
  const states = h("select", { id: "purchase-state" }, STATES.map(([value, words]) => h("option", { value }, words)));
  const heads = COLUMNS.map(([name, words]) => {
    const button = h("button", { type: "button", class: "sort", "data-sort": name, onclick: () => {
      sorting = { column: name, isDescending: sorting.column === name ? !sorting.isDescending : name === "bought" || name === "until" };
      update();
      announce(`Sorted by ${words}, ${sorting.isDescending ? "descending" : "ascending"}.`);
    } }, words, h("span", { class: "arrow", "aria-hidden": "true" }));
    return { name, cell: h("th", { scope: "col" }, button) };
  });

  function update() {
    const words = search.value.trim().toLowerCase();
    const [, , key] = COLUMNS.find(([name]) => name === sorting.column);
    const sign = sorting.isDescending ? -1 : 1;
    const rows = purchases
      .filter((p) => (!words || searched[p.index].includes(words))
        && (!types.value || written(p.productType) === types.value)
        && (!states.value || state(p, times)[0] === states.value))
      .map((p) => ({ p, key: key(p, times) }))
      .sort((a, b) => (a.key < b.key ? -sign : a.key > b.key ? sign : a.p.index - b.p.index))
      .map(({ p }) => p);
    for (const { name, cell } of heads) {
      if (name === sorting.column) cell.setAttribute("aria-sort", sorting.isDescending ? "descending" : "ascending");
      else cell.removeAttribute("aria-sort");
    }
    pages.show(rows);
    none.hidden = rows.length > 0;
    return rows.length;
  }

  const none = h("p", { class: "empty", hidden: true }, "No matching purchases.");
  const filtered = () => announce(count(update(), "purchase"));
  for (const control of [search, types, states]) control.addEventListener("input", filtered);
  update();
  return [notice(),
    h("div", { class: "filters" },
      h("div", {}, h("label", { for: "purchase-search" }, "Search"), search),
      h("div", {}, h("label", { for: "purchase-type" }, "Type"), types),
      h("div", {}, h("label", { for: "purchase-state" }, "State"), states)),
    scrolling("Purchases", { class: "purchases-room" },
      h("table", { class: "data purchases" },
        h("caption", { class: "unseen" }, "Purchases in the receipt. Column headers sort the table."),
        h("thead", {}, h("tr", {}, h("th", { scope: "col", class: "toggle-cell" }, h("span", { class: "unseen" }, "Details")), heads.map(({ cell }) => cell))),
        body)),
    none, pages.bar];
}

function row(purchase, times, context) {
  const [, words, tone] = state(purchase, times);
  const toggle = h("button", { type: "button", class: "toggle", "aria-expanded": "false",
    "aria-label": `Details of transaction ${shown(purchase.transactionIdentifier ?? "")}`, onclick: () => {
      const isOpen = toggle.getAttribute("aria-expanded") === "true";
      toggle.setAttribute("aria-expanded", String(!isOpen));
      if (isOpen) line.nextElementSibling.remove();
      else line.after(part(() => details(purchase, context)));
    } }, icon("open"));
  const cell = (label, properties, ...content) => h("td", { "data-label": label, ...properties }, content);
  const line = h("tr", {},
    h("td", { class: "toggle-cell" }, toggle),
    h("th", { scope: "row" }, purchase.productIdentifier === undefined
      ? h("span", { class: "muted" }, "unknown product") : identifier(purchase.productIdentifier, { label: "product identifier" }),
    (numberOf(purchase.quantity) ?? 1) !== 1 && h("span", { class: "muted" }, ` × ${written(purchase.quantity)}`),
    h("span", { class: "muted type-below", "aria-hidden": "true" }, typeName(purchase.productType))),
    cell("Type", { class: "type" }, typeName(purchase.productType)),
    cell("Bought", {}, moment(purchase.purchaseDate)),
    cell("Until", {}, moment(purchase.expirationDate)),
    cell("State", {}, h("span", { class: `state ${tone}` }, words), marks(purchase).map((mark) => h("span", { class: "tag" }, receiptText(mark)))),
    cell("Transaction", { class: "number" }, identifier(purchase.transactionIdentifier ?? "", { label: "transaction" })),
    cell("Original", { class: "number original" }, purchase.originalTransactionIdentifier === purchase.transactionIdentifier
      ? h("span", { class: "muted same" }, "the same") : identifier(purchase.originalTransactionIdentifier ?? "", { label: "original transaction" })));
  return line;
}

/** A date on one line: with the minute, or only the day if the table is narrow. */
const moment = (date) => date && [h("span", { class: "to-minute" }, time(date, "minute")), h("span", { class: "to-day" }, time(date, "day"))];

/** All attributes of a purchase, with their bytes. */
function details(purchase, context) {
  const place = h("div", { class: "detail" });
  const raw = rawAttributes(purchase, context);
  const facts = [["Quantity", purchase.quantity], ["Bought", purchase.purchaseDate && time(purchase.purchaseDate)],
    ["First bought", purchase.originalPurchaseDate && time(purchase.originalPurchaseDate)],
    ["Until", purchase.expirationDate && time(purchase.expirationDate)],
    ["Canceled", purchase.cancellationDate && time(purchase.cancellationDate)],
    ["Original transaction", purchase.originalTransactionIdentifier && identifier(purchase.originalTransactionIdentifier, { label: "original transaction" })],
    ["Web order line item", purchase.webOrderLineItemIdentifier && identifier(purchase.webOrderLineItemIdentifier, { label: "web order line item" })]].filter(([, value]) => value !== undefined && value !== null);
  replace(place, h("dl", { class: "inline" }, facts.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))),
    raw && attributeTable(raw.list, raw.bytes, context, { caption: "Attributes of this purchase", isInPlace: raw.isInPlace }));
  return h("tr", { class: "detail-row" }, h("td", { colspan: "8" }, place));
}

/** The purchase at an index among the attributes of type 17. */
function rawAttributes(purchase, context) {
  const found = context.payload();
  if (!found) return null;
  context.purchaseAttributes ??= attributesIn(found.bytes, found.set).filter((attribute) => attribute.type === 17);
  const attribute = context.purchaseAttributes[purchase.index];
  const set = attribute && readElement(found.bytes, attribute.from, attribute.to);
  const list = set ? attributesIn(found.bytes, set).sort((a, b) => a.type - b.type) : [];
  return set ? { bytes: found.bytes, list, isInPlace: found.isInPlace } : null;
}
