// What happened to the customer's purchases, and the evidence of it.

import { ago, count, h, icon, identifier, part, receiptText, scrolling, time } from "./dom.js";
import { accountName } from "./answer.js";
import { paged } from "./paged.js";
import { placeLabel, productNames } from "./products.js";
import { lookup, written } from "./values.js";
import { EVIDENCE_KINDS, storefrontName } from "./words.js";

/** The dates at which transactions were refunded or revoked, also after the receipt was created, by transaction. */
export const revocations = (document) => new Map((document.history ?? []).filter((entry) => entry.kind === "revocation" && entry.transaction)
  .map((entry) => [written(entry.transaction), entry.date]));

/** The icon and tone of each kind of entry. */
const KINDS = {
  purchase: ["pass", "good"], renewal: ["pass", "good"], change: ["open", "plain"], upgrade: ["open", "plain"],
  revocation: ["fail", "bad"], notification: ["info", "plain"],
};

/** What happened, newest first; null if nothing is known. */
export function historySection(document) {
  const entries = document.history ?? [];
  if (entries.length === 0) return null;
  const names = productNames(document);
  const list = h("ol", { class: "history" });
  const pages = paged(list, (entry) => row(entry, names, document), { size: 12, noun: "entry", many: "entries" });
  pages.show(entries);
  return h("section", { class: "card history-section", "aria-labelledby": "history-title" },
    h("h4", { id: "history-title" }, "What happened"), list, entries.length > 12 && pages.bar);
}

function row(entry, names, document) {
  const [shape, tone] = lookup(KINDS, entry.kind) ?? ["info", "plain"];
  const facts = [entry.price, entry.offer, entry.storefront && storefrontName(entry.storefront)].filter(Boolean);
  return h("li", { class: `history-entry ${tone}`, "data-kind": written(entry.kind) },
    h("span", { class: "mark" }, icon(shape)),
    h("div", { class: "history-date" }, time(entry.date, "minute"), h("span", { class: "muted" }, ago(entry.date, document.now))),
    h("div", { class: "history-words" }, h("p", {}, receiptText(entry.words), " ", placeLabel(entry, document)),
      facts.length > 0 && h("p", { class: "muted" }, receiptText(facts.join(" · ")))),
    entry.product && h("div", { class: "history-product" }, receiptText(names.get(entry.product) ?? entry.product),
      entry.transaction && identifier(entry.transaction, { label: "transaction" })));
}

/** Everything that Apple signed about the purchases, and when the server received it. */
export function evidencePanel({ document }) {
  const body = h("tbody");
  const pages = paged(body, (entry) => h("tr", {},
    h("th", { scope: "row" }, kindOf(entry)), h("td", {}, time(entry.signedDate, "minute")),
    h("td", {}, entry.receivedDate ? time(entry.receivedDate, "minute") : h("span", { class: "muted" }, "not stored, only in this input")),
    h("td", {}, entry.originalTransactionIdentifier && identifier(entry.originalTransactionIdentifier, { label: "original transaction" }))),
  { size: 50, noun: "item" });
  pages.show(document.evidence);
  return [h("p", { class: "hint" }, `${count(document.evidence.length, "item")} that Apple signed about ${count(document.customer.purchases.length, "purchase")}. Newer ones count before older ones.`),
    scrolling("Evidence", {}, h("table", { class: "data" }, h("caption", { class: "unseen" }, "Evidence"),
      h("thead", {}, h("tr", {}, ["Kind", "Signed", "Received", "Original transaction"].map((words) => h("th", { scope: "col" }, words)))), body)),
    pages.bar];
}

function kindOf(entry) {
  const kind = lookup(EVIDENCE_KINDS, entry.kind) ?? written(entry.kind);
  return [kind.replace(/^./, (letter) => letter.toUpperCase()), entry.notificationType && [" ", h("code", {}, written(entry.notificationType))]];
}

/** Whose purchases these are, with a search for all of them. */
export function accountSection({ document, find }) {
  const { customer } = document;
  if (!customer) return null;
  const more = (account) => {
    const number = lookup(customer.otherPurchases, account);
    return number > 0 ? ` (${count(number, "more purchase")})` : "";
  };
  const names = customer.accounts.map((account) => {
    const name = accountName(account, document);
    return h("li", {}, identifier(name ?? account, { label: "account" }), name === undefined && h("span", { class: "muted" }, "Its name isn't stored, only a hash. Ask the customer for the name of the account, and search it."),
      document.match !== "account" && h("button", { type: "button", class: "small quiet", onclick: () => find(name ?? account) }, `Show everything of this account${more(account)}`));
  });
  if (names.length === 0) {
    return customer.stored > 0 && h("p", { class: "muted account-none" }, "No account has submitted these purchases.");
  }
  return h("div", { class: "accounts" }, h("span", { class: "muted" }, names.length === 1 ? "Account" : "Accounts"), h("ul", {}, part(() => names)));
}
