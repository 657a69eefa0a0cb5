// The contents of signed data (header, payload, nested tokens) and of transaction receipts.

import { ago, base64Bytes, count, h, identifier, milliseconds, part, receiptText, scrolling, shown, time } from "./dom.js";
import { paged } from "./paged.js";
import { isObject, lookup, numberOf, readJSON, written } from "./values.js";

const STATUSES = { 1: "active", 2: "expired", 3: "billing retry", 4: "grace period", 5: "revoked" };
const OFFERS = { 1: "introductory", 2: "promotional", 3: "offer code", 4: "win-back" };
const REASONS = { 0: "refund for another reason", 1: "refund for an issue with the app" };
const EXPIRATIONS = { 1: "the customer canceled", 2: "billing error", 3: "the customer did not agree to a price increase", 4: "the product was not available", 5: "another reason" };

const MEANINGS = {
  status: STATUSES, offerType: OFFERS, revocationReason: REASONS, expirationIntent: EXPIRATIONS,
  autoRenewStatus: { 0: "off", 1: "on" },
};

/** What became of the search for the claimed transactions. */
const SEARCHED = {
  found: "Its transactions only served to find what Apple signed, which is above. What isn't there isn't proven.",
  unknown: "Nothing is known about its transactions: ask for the receipt.",
  failed: "Its transactions aren't known here, and the App Store couldn't be asked about them: check again later.",
};

/** The same as a sentence. */
export const searchedWords = (searched) => lookup(SEARCHED, searched) ?? SEARCHED.found;

/** What unsigned data claims: a response of verifyReceipt without the receipt, or StoreKit 2's JSON; null for other inputs. */
export function claimedSection({ document: { claimed, lookup: searched, customer }, find }) {
  if (!claimed || claimed.purchases.length === 0) return null;
  const known = new Set((customer?.purchases ?? []).map((purchase) => written(purchase.originalTransactionIdentifier)));
  const isKnown = (purchase) => known.has(written(purchase.originalTransactionIdentifier ?? purchase.transactionIdentifier ?? ""));
  const body = h("tbody");
  const pages = paged(body, (purchase) => h("tr", {},
    h("th", { scope: "row" }, receiptText(purchase.productIdentifier ?? "unknown product")),
    h("td", {}, purchase.purchaseDate && time(purchase.purchaseDate, "day")), h("td", {}, purchase.expirationDate && time(purchase.expirationDate, "day")),
    h("td", {}, purchase.cancellationDate && time(purchase.cancellationDate, "day")),
    h("td", {}, identifier(purchase.transactionIdentifier ?? "", { label: "transaction" }),
      isKnown(purchase) ? h("span", { class: "tag" }, "known, see above") : purchase.transactionIdentifier && h("button", { type: "button", class: "small quiet", onclick: () => find(purchase.transactionIdentifier) }, "Find"))), { size: 25, noun: "purchase" });
  pages.show(claimed.purchases);
  return h("section", { class: "card claimed", "aria-labelledby": "claimed-title" },
    h("h4", { id: "claimed-title" }, claimed.isResponse ? "Claimed by the response, not verified" : "Claimed by the input, not verified"),
    h("p", { class: "hint" }, `Anyone can write such ${claimed.isResponse ? "a response" : "data"}: it isn't signed. ${searchedWords(searched)}`),
    scrolling("Claimed purchases", {}, h("table", { class: "data" }, h("caption", { class: "unseen" }, "Claimed purchases"),
      h("thead", {}, h("tr", {}, ["Product", "Bought", "Expires", "Canceled", "Transaction"].map((words) => h("th", { scope: "col" }, words)))), body)),
    claimed.purchases.length > 25 && pages.bar);
}

export function signedContentsPanel(context) {
  const { document, notice } = context;
  const header = document.token ? headerOf(document.token) : null;
  const nested = Object.entries(document.nested ?? {});
  return [notice(),
    h("section", { "aria-labelledby": "payload-title" }, h("h4", { id: "payload-title" }, "Payload"),
      document.payload ? part(() => members(document.payload, document.now, "Payload")) : h("p", { class: "empty" }, "The payload can't be read.")),
    nested.map(([name, payload]) => h("section", { class: "nested", "data-nested": name }, h("h4", {}, receiptText(name)),
      h("p", { class: "hint" }, document.verdict === "valid" ? "A nested token with its own signature, which is verified too." : "A nested token. Not proven."),
      part(() => members(payload, document.now, name)), part(() => tokenHeader(context, name)))),
    header && h("section", { "aria-labelledby": "header-title" }, h("h4", { id: "header-title" }, "Header"), part(() => members(header, document.now, "Header"))),
    document.token && !header && document.failure?.code !== "token-unsigned" && h("p", { class: "empty" }, "The header can't be read."),
    document.token && h("details", { class: "raw-token" }, h("summary", {}, `${document.failure?.code === "token-unsigned" ? "The input" : "The token"}, ${count(document.token.length, "character")}`),
      h("pre", { class: "code-block", tabindex: "0", "aria-label": "The token" }, document.token.slice(0, 60_000)))];
}

function tokenHeader({ document }, name) {
  const token = [document.payload, document.payload?.data, document.payload?.appData].map((place) => (isObject(place) && Object.hasOwn(place, name) ? place[name] : null)).find((value) => typeof value === "string");
  const header = token ? headerOf(token) : null;
  return header && h("details", {}, h("summary", {}, "Its header"), members(header, document.now, `Header of ${name}`));
}

/** The header as an object, or null. Certificates are replaced by their length; the panel Certificates shows them. */
function headerOf(token) {
  try {
    const segment = token.split(".", 1)[0].replaceAll("-", "+").replaceAll("_", "/");
    const header = readJSON(new TextDecoder().decode(base64Bytes(segment.padEnd(Math.ceil(segment.length / 4) * 4, "="))));
    return isObject(header) ? header : null;
  } catch {
    return null;
  }
}

const MAX_MEMBERS = 500;

function members(object, now, caption) {
  // Explicit roles, because a table whose cells are stacked on narrow screens loses its semantics otherwise.
  return scrolling(shown(caption), {}, h("table", { class: "data members", role: "table" },
    h("caption", { class: "unseen" }, shown(caption)),
    h("thead", { class: "unseen", role: "rowgroup" }, h("tr", { role: "row" }, h("th", { scope: "col", role: "columnheader" }, "Member"), h("th", { scope: "col", role: "columnheader" }, "Value"))),
    h("tbody", { role: "rowgroup" }, rows(object, "", now, { left: MAX_MEMBERS }))));
}

function rows(object, prefix, now, budget) {
  const list = [];
  for (const [name, value] of Object.entries(object)) {
    if ((budget.left -= 1) < 0) {
      if (budget.left === -1) list.push(h("tr", { role: "row" }, h("td", { colspan: "2", class: "muted", role: "cell" }, `Only the first ${MAX_MEMBERS} members are shown.`)));
      break;
    }
    if (isObject(value) && Object.keys(value).length > 0 && prefix.length < 200) list.push(...rows(value, `${prefix}${name}.`, now, budget));
    else list.push(h("tr", { role: "row" }, h("th", { scope: "row", role: "rowheader" }, receiptText(prefix + name)), h("td", { role: "cell" }, formatted(name, value, now))));
  }
  return list;
}

function formatted(name, value, now) {
  if (Array.isArray(value)) {
    if (name === "x5c" && value.every((one) => typeof one === "string")) {
      return `${count(value.length, "certificate")}, ${value.slice(0, 20).map((one) => count(one.length, "character")).join(", ")}`;
    }
    return long(written(value));
  }
  if (value === null) return h("span", { class: "muted" }, "null");
  const text = written(value);
  const number = numberOf(value);
  if (number !== null && /Date$/i.test(name) && milliseconds(number) !== null) {
    return [time(number), h("span", { class: "muted ago" }, ago(number, now)), h("span", { class: "muted number ago" }, text)];
  }
  const meaning = number === null ? undefined : lookup(lookup(MEANINGS, name) ?? {}, text);
  if (name === "price" && number !== null) return [text, h("span", { class: "muted ago" }, `${(number / 1000).toFixed(2)} (thousandths of the currency)`)];
  if (IDENTIFIER.test(name) && text.length > 0 && text.length <= 300) return identifier(text, { label: name });
  return [long(text), meaning && h("span", { class: "muted ago" }, meaning)];
}

/** The names of members that contain identifiers. */
const IDENTIFIER = /(Id|Identifier|UUID|appAccountToken)$/;

/** A text, collapsed if it is long. */
function long(text) {
  if (text.length <= 300) return receiptText(text);
  const isToken = text.startsWith("eyJ") && text.split(".", 4).length === 3;
  return h("details", {}, h("summary", {}, isToken ? `a token of ${count(text.length, "character")}` : `${shown(text.slice(0, 60))}… ${count(text.length, "character")}`),
    h("div", { class: "wrap" }, receiptText(text)));
}

// Transaction receipts.

/** The string entries of an old-style property list, up to a limit. */
function entries(text) {
  const list = [];
  for (const match of text.matchAll(/"([^"\\]{1,200})"\s*=\s*"([^"]{0,60000})"\s*;/g)) {
    list.push([match[1], match[2]]);
    if (list.length >= 64) break;
  }
  return list;
}

export function transactionReceiptPanel({ document, notice }) {
  const outer = entries(document.text ?? "");
  const encoded = outer.find(([name]) => name === "purchase-info")?.[1];
  let inner = [];
  try {
    inner = encoded ? entries(new TextDecoder().decode(base64Bytes(encoded))) : [];
  } catch {
    // Shown without decoding.
  }
  const table = (list, caption) => scrolling(caption, {}, h("table", { class: "data" },
    h("caption", { class: "unseen" }, caption), h("tbody", {}, list.map(([name, value]) => h("tr", {},
      h("th", { scope: "row" }, receiptText(name)),
      h("td", {}, value.length > 300 ? h("details", {}, h("summary", {}, count(value.length, "character")), h("div", { class: "wrap" }, receiptText(value))) : receiptText(value)))))));
  return [notice(),
    h("p", { class: "hint" }, "A receipt of one transaction. The purchase is signed, the rest of the receipt isn't. Use an app receipt if the app can send one: it lists every purchase, and refunds."),
  inner.length > 0 && [h("h4", {}, "Purchase"), table(inner, "Purchase")],
  h("h4", {}, "Receipt"), outer.length > 0 ? table(outer, "Receipt") : h("pre", { class: "code-block", tabindex: "0" }, (document.text ?? "").slice(0, 20_000))];
}
