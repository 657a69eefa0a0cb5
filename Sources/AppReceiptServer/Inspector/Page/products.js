// What the customer has: a row for each product, with its state, dates, reason and next step.

import { ago, count, dayText, h, identifier, part, prose, receiptText, time, whenZoneChanges } from "./dom.js";
import { paged } from "./paged.js";
import { lookup, written } from "./values.js";
import { PRODUCT_KINDS, STATES } from "./words.js";

/** The words and tone of an entitlement's state, with its end. */
export function stateOf(product) {
  const state = lookup(STATES, product.state) ?? { words: written(product.state), tone: "plain", rank: 10 };
  // Only the app knows whether these are used up or over.
  const isOpen = product.state === "owned" && !product.isActive;
  const words = isOpen ? "Bought" : state.words;
  return { ...state, tone: isOpen ? "plain" : state.tone, words, text: () => (state.until && product.until ? `${state.until} ${dayText(product.until)}` : words) };
}

/** The products in the order of the list: those that the customer may use first. */
export function inOrder(products) {
  return products.map((product, index) => [product, stateOf(product).rank, index])
    .sort(([a, first, before], [b, second, after]) => Number(b.isActive) - Number(a.isActive) || first - second || before - after)
    .map(([product]) => product);
}

export function productsSection(document) {
  const products = document.products ?? [];
  const title = h("h4", { id: "products-title" }, "What the customer has");
  const section = (...content) => h("section", { class: "card products-section", "aria-labelledby": "products-title" }, content);
  if (products.length === 0) {
    return section(h("div", { class: "section-head" }, title), h("p", { class: "none", "data-none": "" }, absence(document)));
  }
  const list = h("ul", { class: "products", "aria-labelledby": "products-title" });
  const pages = paged(list, (product) => row(product, document), { size: 25, noun: "product" });
  pages.show(inOrder(products));
  return section(h("div", { class: "section-head" }, title, environment(document), h("p", { class: "muted" }, outline(products)), h("p", { class: "muted as-of" }, asOf(products, document))),
    h("div", { class: "product-columns", "aria-hidden": "true" }, ["Product", "State", "Reason and next step"].map((words) => h("span", {}, words))),
    list, products.length > 25 && pages.bar);
}

/** Why there are no products. */
export function absence(document) {
  if (document.verdict !== "valid") return "Entitlements are shown only for verified data. This input isn't valid, so it shows nothing about purchases.";
  if (document.dataKind === "renewal-info") return "Renewal information alone contains no purchase. It counts only together with a transaction or receipt.";
  if (document.dataKind === "app-transaction") return "An app transaction contains no in-app purchases. It shows how the customer got the app.";
  if (document.dataKind === "notification") return "This notification contains no transaction.";
  if (!document.environment) return "The environment is unknown, and entitlements belong to one environment.";
  return "No in-app purchases.";
}

/** A mark for entitlements that nobody paid for. */
function environment(document) {
  if (document.environment === "sandbox") return h("span", { class: "chip sandbox" }, "Sandbox");
  return document.environment === "xcode" ? h("span", { class: "chip xcode" }, "Xcode") : null;
}

function outline(products) {
  const active = products.filter((product) => product.isActive).length;
  const open = products.filter((product) => product.state === "renewalUnknown").length;
  return [active === 0 ? "Nothing active" : `${active.toLocaleString("en")} active`, open > 0 && `${open.toLocaleString("en")} unknown`,
    products.length > 1 && `${count(products.length, "product")} in total`].filter(Boolean).join(" · ");
}

/** The date of the newest evidence, and its age. Later renewals and refunds aren't in it. */
function asOf(products, document) {
  const newest = products.map((product) => product.asOf).reduce((one, other) => (one > other ? one : other));
  return ["As of ", time(newest, "minute"), ", ", ago(newest, document.now)];
}

function row(product, document) {
  const state = stateOf(product);
  const badge = h("span", { class: `badge-state ${state.tone}`, "data-state": written(product.state) }, state.text());
  const stop = whenZoneChanges(() => (badge.isConnected ? badge.textContent = state.text() : stop()));
  const notes = [lookup(PRODUCT_KINDS, product.kind), (product.quantity ?? 1) !== 1 && `× ${written(product.quantity)}`,
    product.ownership === "FAMILY_SHARED" && "Family Sharing"].filter(Boolean).join(" · ");
  return h("li", { class: "product", "data-product": written(product.productIdentifier) },
    h("div", { class: "product-name" }, identifier(product.productIdentifier, { label: "product identifier" }), h("span", { class: "muted" }, notes)),
    h("div", { class: "product-state" }, badge,
      product.since && h("span", { class: "muted" }, sinceWords(product), time(product.since, "day"),
        product.isActive && product.until ? `, ends ${ago(product.until, document.now)}` : ""),
      RENEWABLE.has(product.state) && typeof product.willRenew === "boolean" && h("span", { class: "muted" }, product.willRenew ? "will renew" : "won't renew")),
    h("div", { class: "product-reason" }, h("p", {}, part(() => prose(product.reason))),
      product.nextStep && h("p", { class: "next-step" }, h("strong", {}, "Next: "), prose(product.nextStep)),
      product.originalTransactionIdentifier && h("p", { class: "muted origin" }, "Original transaction ", identifier(product.originalTransactionIdentifier, { label: "original transaction" }))));
}

/** The states in which it matters whether the subscription will renew. */
const RENEWABLE = new Set(["active", "gracePeriod", "billingRetry", "notStarted"]);

/** The words before the begin of access, which may have ended since. */
function sinceWords(product) {
  if (product.isActive) return "since ";
  if (product.state === "notStarted") return "begins ";
  return product.kind === "subscription" ? "began " : product.state === "owned" ? "on " : "bought ";
}

/** What happened, according to signed data. */
export function eventSection(document) {
  const { summary } = document;
  if (!summary) return null;
  const rows = [];
  const row = (name, value) => { if (value) rows.push([name, value]); };
  row("Product", summary.product && identifier(summary.product, { label: "product identifier" }));
  if (summary.from) row(summary.until ? "Period" : "Bought", summary.until ? [time(summary.from, "minute"), " to ", time(summary.until, "minute")] : time(summary.from));
  row("Price", summary.price && receiptText(summary.price));
  row("Grace until", summary.graceUntil && time(summary.graceUntil));
  row("Revoked", summary.revoked && time(summary.revoked));
  row("Next renewal", part(() => renewal(summary)));
  row("Original transaction", summary.original && identifier(summary.original, { label: "original transaction" }));
  return h("section", { class: "card event", "aria-labelledby": "event-title" },
    h("div", { class: "section-head" }, h("h4", { id: "event-title" }, "What happened"),
      document.validationDate && h("p", { class: "muted as-of" }, "Signed ", time(document.validationDate, "minute"), ", ", ago(document.validationDate, document.now))),
    h("p", { class: "event-words" }, prose(summary.event)),
    rows.length > 0 && h("dl", { class: "fields" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}

function renewal({ renewal: next, product }) {
  if (!next || next.isOn === null) return null;
  if (!next.isOn) return "Off";
  return [next.date ? time(next.date, "minute") : "On", next.price && `, ${next.price}`,
    next.product && next.product !== product && [", as ", receiptText(next.product)]];
}
