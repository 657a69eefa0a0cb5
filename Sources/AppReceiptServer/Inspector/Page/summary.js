// A summary of the report as plain text, for a ticket. It names the accounts and the original transactions, which belong there, and no devices.

import { ago, count, shown, timeText, withPlainDates } from "./dom.js";
import { answer, answerTitle, appsOf, basisText, besides, hasSeveralCustomers, meaning, ownersOf, ownerWords, productsOf } from "./answer.js";
import { nextStep, renewalWords, RENEWABLE, stateOf } from "./products.js";
import { searchedWords } from "./signed.js";
import { lookup } from "./values.js";

/** The maximum number of products in a summary. */
const MAX_PRODUCTS = 40;

/** The maximum number of claimed purchases in a summary. */
const MAX_CLAIMS = 10;

/** The name of an input's date, by its kind. */
const DATES = { "signed-data": "Signed", "transaction-receipt": "Purchased" };

/** The summary of a document. `head` contains the verdict, a sentence about it, the app, and what else to know. */
export function summaryText(document, { verdict, sentence, app, notes }) {
  const isValid = document.verdict === "valid";
  // What the bytes state isn't proven unless the signature is valid.
  const claimed = document.isProven ? "" : " (claimed, not proven)";
  const lines = isValid ? [...answerLines(document), `${verdict}: ${sentence}`] : failureLines(document, verdict);
  if (app) lines.push(`App${claimed}: ${shown(app)}${document.receipt?.appVersion ? `, version ${shown(document.receipt.appVersion)}` : ""}`);
  const environment = document.environment ?? document.statedEnvironment;
  lines.push(`Environment${environment && document.environment !== environment ? " (claimed, not proven)" : ""}: ${environment ? shown(environment) : "unknown"}`);
  if (document.validationDate) {
    lines.push(`${lookup(DATES, document.kind) ?? "Receipt created"}${claimed}: ${timeText(document.validationDate)} (${ago(document.validationDate, document.now)})`);
  }
  if (document.summary) lines.push(`Event: ${shown(document.summary.event)}${document.summary.price ? ` Price: ${shown(document.summary.price)}.` : ""}`);
  lines.push("");
  if (isValid) lines.push(...productLines(document));
  else lines.push(`Reason: ${sentence}`, ...claimLines(document));
  if (document.input.compared) lines.push(`${shown(document.input.compared)}.`);
  lines.push(...notes, `Checked: ${timeText(document.now)}`);
  return `${lines.join("\n")}\n`;
}

/** What an invalid input means, and what to do. */
function failureLines(document, verdict) {
  const { means, more, customer, next, proof } = meaning(document);
  return [`${verdict}: ${means}.${more ? ` ${more}` : ""}`, customer && `For the customer: ${customer}`, next && `What to do: ${next}`, proof].filter(Boolean);
}

/** The summary of what was found by a search. */
export function foundText(document, title) {
  return `${[shown(title), "", ...answerLines(document), ...besides(document), ...productLines(document), ...claimLines(document), `Looked up: ${timeText(document.now)}`].join("\n")}\n`;
}

/** What unsigned data claims, and what became of the search for it. */
function claimLines({ claimed, lookup: searched }) {
  const purchases = claimed?.purchases ?? [];
  if (purchases.length === 0) return [];
  const lines = purchases.slice(0, MAX_CLAIMS).map((purchase) => `- ${shown(purchase.productIdentifier ?? "unknown product")}, transaction ${shown(purchase.transactionIdentifier ?? "unknown")}, original transaction ${shown(purchase.originalTransactionIdentifier ?? "unknown")}`);
  const rest = purchases.length > MAX_CLAIMS ? [`- and ${count(purchases.length - MAX_CLAIMS, "more purchase")}`] : [];
  return [`Claimed by the ${claimed.isResponse ? "response" : "input"}, not verified:`, ...lines, ...rest, searchedWords(searched)];
}

function answerLines(document) {
  const { text, more } = answer(document);
  return [`${answerTitle(document)}: ${text}.${more ? ` ${more}` : ""}`];
}

function productLines(document) {
  const owners = hasSeveralCustomers(document) ? ownersOf(document) : [document.customer?.accounts[0] ?? null];
  const groups = owners.map((owner) => [
    (owner !== null || owners.length > 1) && `Account: ${owner === null ? "none, perhaps another customer's" : ownerWords(owner, document)}`,
    ...linesOf(owners.length > 1 ? productsOf(document, owner) : document.products ?? [], document)]);
  return [...groups.flat().filter(Boolean), basisText(document)];
}

function linesOf(all, document) {
  const lines = [];
  const hasApps = appsOf(document).length > 1;
  for (const product of all.slice(0, MAX_PRODUCTS)) {
    const next = nextStep(product, document);
    lines.push(`- ${shown(product.name ? `${product.name} (${product.productIdentifier})` : product.productIdentifier)}${hasApps ? `, ${shown(product.bundleIdentifier)}` : ""}: ${stateOf(product).text()}${RENEWABLE.has(product.state) && typeof product.willRenew === "boolean" ? `, ${renewalWords(product)}` : ""}. ${shown(withPlainDates(product.reason))}${product.originalTransactionIdentifier ? ` Original transaction ${shown(product.originalTransactionIdentifier)}.` : ""}${next ? ` Next: ${shown(withPlainDates(next))}` : ""}`);
  }
  if (all.length > MAX_PRODUCTS) lines.push(`- and ${count(all.length - MAX_PRODUCTS, "more product")}`);
  return lines;
}
