// What the customer has: the answer, and a row for each product, with its state, dates, reason and next step.

import { ago, copyButton, dayText, h, identifier, part, prose, receiptText, shown, time, toSend, whenZoneChanges, withPlainDates } from "./dom.js";
import { answer, answersFirst, answerTitle, basis, besides, hasSeveralCustomers, meaning, ownersOf, ownerWords, productsOf } from "./answer.js";
import { paged } from "./paged.js";
import { lookup, written } from "./values.js";
import { EVIDENCE_KINDS, OTHER_SENDER, PRODUCT_KINDS, STATES, TEST_PLACES } from "./words.js";

/** The words and tone of an entitlement's state, with its end. */
export function stateOf(product) {
  const state = lookup(STATES, product.state) ?? { words: written(product.state), tone: "plain", rank: 10 };
  // Only the app knows whether these are used up or over.
  const isOpen = product.state === "owned" && !product.isActive;
  const words = isOpen ? "Bought" : state.words;
  return { ...state, ...(isOpen ? { tone: "plain", rank: BOUGHT_RANK } : {}), words, text: () => (state.until && product.until ? `${state.until} ${dayText(product.until)}` : words) };
}

/** The configured names of the products, by identifier. */
export const productNames = ({ products }) => new Map((products ?? []).filter((product) => product.name).map((product) => [product.productIdentifier, product.name]));

/** After the subscriptions that may have been renewed, before what has ended. */
const BOUGHT_RANK = 5.5;

/** The answer, and the products behind it. For an input that isn't valid: what that means, why, and what to do. */
export function productsSection(document) {
  const { lead, more } = answer(document);
  const isValid = document.verdict === "valid";
  // The title of the report is the answer about a proven input.
  const head = [h("h4", { id: "products-title", class: "eyebrow" }, answerTitle(document)), !answersFirst(document) && h("p", { class: "headline" }, lead)];
  const section = (...content) => h("section", { class: `card products-section ${isValid ? "" : "bad"}`, "aria-labelledby": "products-title" }, head, content);
  if (!isValid) return section(more && h("p", { class: "reason" }, more), part(() => advice(document)));
  const products = document.products ?? [];
  if (products.length === 0) return section(more && h("p", { class: "none", "data-none": "" }, more), basis(document));
  const groups = hasSeveralCustomers(document)
    ? ownersOf(document).map((owner) => group(productsOf(document, owner), document, owner)) : group(products, document);
  return section(basis(document),
    h("div", { class: "product-columns", "aria-hidden": "true" }, ["Product", "State", "Reason and next step"].map((words) => h("span", {}, words))), groups);
}

/** The products of one customer, under the account if there are several. Those of no account may be anybody's. */
function group(products, document, owner) {
  const list = h("ul", { class: "products", "aria-labelledby": "products-title" });
  const pages = paged(list, (product) => row(product, document), { size: 25, noun: "product" });
  pages.show(products);
  return [owner !== undefined && h("h5", { class: "owner-title" }, owner === null ? "No account: perhaps another customer's" : receiptText(ownerWords(owner, document))),
    products.length > 0 ? list : h("p", { class: "muted" }, "No product."), products.length > 25 && pages.bar, owner !== null && replies(products, document)];
}

/** Whether somebody else wrote than the customer whose purchases are shown. */
const isFromAnother = (document) => (document.leads ?? []).some((lead) => lead.isAboutOtherSender);

/** Whether a product isn't the sender's. */
const isOfAnother = (product, document) => isFromAnother(document)
  || (product.account != null && (document.sendersPurchases ?? null) !== null && !document.sendersPurchases.includes(product.originalTransactionIdentifier));

/** Buttons that copy the sentences about all products for the customer and the ticket, if there are several. */
function replies(products, document) {
  if (products.some((product) => isOfAnother(product, document))) return null;
  const sentences = products.map((product) => product.forCustomer).filter(Boolean);
  if (sentences.length < 2) return null;
  const copy = (words, text) => copyButton(words, text, { class: "quiet small copy-reply" });
  return h("div", { class: "row" }, copy("Copy all sentences for the customer", () => sentences.map(withPlainDates).join("\n")),
    copy("Copy all for the ticket", () => [...products.map((product) => withPlainDates(factsOf(product, document))), ...besides(document)].join("\n")));
}

/** What to tell the customer about a failure, and what to do. The reason is among the technical details. */
function advice(document) {
  const { customer, ticket, next, proof } = meaning(document);
  return [customer && toSend("For the customer", customer), toSend("For the ticket", ticket),
    next && h("p", { class: "remedy" }, h("strong", {}, "What to do: "), next),
    proof && h("p", { class: "remedy" }, proof),
    h("p", { class: "none", "data-none": "" }, "Entitlements are shown only for verified data.")];
}

/** Labels of what isn't of production, and of the app if there are several. */
export function placeLabel({ environment, bundleIdentifier }, { customer }) {
  const test = lookup(TEST_PLACES, environment)?.[1];
  const hasSeveral = new Set((customer?.purchases ?? []).map((purchase) => purchase.bundleIdentifier)).size > 1;
  return [test && h("span", { class: `chip ${environment}` }, test), hasSeveral && bundleIdentifier && h("span", { class: "chip" }, shown(bundleIdentifier))];
}

/** The name by which a screen reader tells the sentences of products apart. */
const nameOf = (product) => product.name ?? product.productIdentifier;

/** The facts for a ticket, with the account, and what else to know about the message. */
const ticketOf = (product, document) => [factsOf(product, document), ...besides(document)].join(" ");

/** The facts alone. */
const factsOf = ({ account, forTicket }, document) => (account ? `Account ${ownerWords(account, document)}: ${forTicket}` : forTicket);

/** Whether the sentences are open at first. On a narrow screen they would hide the second product. */
const isOpenAtFirst = ({ products }) => (products ?? []).length <= (window.innerWidth < 800 ? 1 : 3);

function row(product, document) {
  const state = stateOf(product);
  const badge = h("span", { class: `badge-state ${state.tone}`, "data-state": written(product.state) }, state.text());
  const stop = whenZoneChanges(() => (badge.isConnected ? badge.textContent = state.text() : stop()));
  const notes = [lookup(PRODUCT_KINDS, product.kind), (product.quantity ?? 1) !== 1 && `× ${written(product.quantity)}`,
    product.ownership === "FAMILY_SHARED" && "Family Sharing", product.ownership === "ASSIGNED" && "Assigned seat",
    product.refundedPercentage !== null && product.refundedPercentage < 100 && `${written(product.refundedPercentage)} % refunded`,
    product.commitment && commitmentWords(product.commitment), product.items && itemWords(product.items)].filter(Boolean).join(" · ");
  return h("li", { class: "product", "data-product": written(product.productIdentifier) },
    h("div", { class: "product-name" }, product.name && h("strong", { class: "product-title" }, receiptText(product.name)), identifier(product.productIdentifier, { label: "product identifier" }), h("span", { class: "muted" }, notes)),
    h("div", { class: "product-state" }, badge, placeLabel(product, document),
      product.since && h("span", { class: "muted" }, sinceWords(product), time(product.since, "day"),
        product.isActive && product.until ? `, ends ${ago(product.until, document.now)}` : ""),
      OPEN.has(product.state) && product.until && h("span", { class: "known-until" }, product.state === "billingRetry" ? "paid until " : "known until ", time(product.until, "day")),
      RENEWABLE.has(product.state) && typeof product.willRenew === "boolean" && h("span", { class: "muted" }, renewalWords(product))),
    h("div", { class: "product-reason" }, h("p", {}, part(() => prose(product.reason))),
      nextStep(product, document) && h("p", { class: "next-step" }, h("strong", {}, "Next: "), prose(nextStep(product, document))),
      product.isOutdated && h("p", { class: "muted newer" }, NEWER),
      product.forCustomer && h("details", { class: "sentences", open: isOpenAtFirst(document) }, h("summary", {}, "Sentences to send"), toSend("For the customer", isOfAnother(product, document) ? OTHER_SENDER : product.forCustomer, nameOf(product)), toSend("For the ticket", ticketOf(product, document), nameOf(product))),
      h("p", { class: "muted origin" },
        product.decidedBy && h("span", { class: "decided" }, "Decided by ", decisive(product.decidedBy)),
        h("span", { class: "evidence-age" }, "Evidence of ", time(product.asOf, "day"), `, ${ago(product.asOf, document.now)}`),
        product.originalTransactionIdentifier && h("span", { class: "origin-id" }, "Original transaction ", identifier(product.originalTransactionIdentifier, { label: "original transaction" })))));
}

/** The signed data that decided a state. */
const decisive = ({ kind, signedDate, isInput }) => [isInput ? "the input's " : "a stored ", lookup(EVIDENCE_KINDS, kind) ?? written(kind), kind === "transactionReceipt" ? " of " : " signed ", time(signedDate, "minute")];

/** The period of a commitment, and its end. */
const commitmentWords = ({ period, periods, until }) => `period ${written(period ?? "?")} of ${written(periods ?? "?")}${until ? `, committed until ${dayText(until)}` : ""}`;

/** The items of an Advanced Commerce purchase. */
const itemWords = (items) => items.map(({ sku, isActive }) => `${written(sku)}${isActive ? "" : " (revoked)"}`).join(", ");

/** Whether the product renews, or the product that replaces it. A failed payment isn't one. */
export const renewalWords = ({ state, willRenew, renewsAs, renewsAsName }) => willRenew ? (UNPAID.has(state) ? "renewal on, payment failed" : "will renew") : renewsAs ? `renews as ${shown(renewsAsName ?? renewsAs)}` : "won't renew";

/** The next step of a product; null if the App Store's answer is awaited, which decides first. The basis says so. */
export const nextStep = (product, { customer }) => (customer?.isPartial && OPEN.has(product.state) ? null : product.nextStep);

const NEWER = "Request a newer receipt to see later refunds.";

/** The states of a subscription whose last known period has ended. */
const OPEN = new Set(["renewalUnknown", "billingRetry"]);

/** The states of a subscription that the App Store couldn't bill. */
const UNPAID = new Set(["gracePeriod", "billingRetry"]);

/** The states in which it matters whether the subscription will renew. */
export const RENEWABLE = new Set(["active", "gracePeriod", "billingRetry", "notStarted"]);

/** The words before the begin of access, which may have ended since. */
function sinceWords(product) {
  if (product.isActive) return "since ";
  if (product.state === "notStarted") return "begins ";
  return product.kind === "subscription" ? "subscribed since " : product.state === "owned" ? "on " : "bought ";
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
  const isBelow = (document.products ?? []).some((product) => product.originalTransactionIdentifier === summary.original);
  row("Original transaction", summary.original && !isBelow && identifier(summary.original, { label: "original transaction" }));
  return h("section", { class: "card event", "aria-labelledby": "event-title" },
    h("div", { class: "section-head" }, h("h4", { id: "event-title" }, "What this input says"),
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
