// A summary of the report as plain text, for a ticket. It contains no identifiers of transactions, devices or accounts.

import { ago, count, shown, timeText } from "./dom.js";
import { absence, inOrder, stateOf } from "./products.js";
import { outline } from "./checks.js";

/** The maximum number of products in a summary. */
const MAX_PRODUCTS = 40;

/** The summary of a document. `head` contains the verdict and a sentence about it. */
export function summaryText(document, { verdict, sentence, app, caveats }) {
  const lines = [`${verdict}: ${sentence}`];
  if (app) lines.push(`App: ${shown(app)}${document.receipt?.appVersion ? `, version ${shown(document.receipt.appVersion)}` : ""}`);
  lines.push(`Environment: ${document.environment ?? (document.statedEnvironment ? `claims ${shown(document.statedEnvironment)}` : "unknown")}`);
  if (document.validationDate) {
    lines.push(`${document.kind === "signed-data" ? "Signed" : "Receipt created"}: ${timeText(document.validationDate)} (${ago(document.validationDate, document.now)})`);
  }
  if (document.summary) lines.push(`Event: ${shown(document.summary.event)}${document.summary.price ? ` Price: ${shown(document.summary.price)}.` : ""}`);
  lines.push("", "What the customer has:");
  const products = inOrder(document.products ?? []);
  if (products.length === 0) lines.push(absence(document));
  for (const product of products.slice(0, MAX_PRODUCTS)) {
    lines.push(`- ${shown(product.productIdentifier)}: ${stateOf(product).text()}. ${shown(product.reason)}${product.nextStep ? ` Next: ${shown(product.nextStep)}` : ""}`);
  }
  if (products.length > MAX_PRODUCTS) lines.push(`- and ${count(products.length - MAX_PRODUCTS, "more product")}`);
  lines.push("", outline(document.checks));
  if (document.failure) lines.push(`Code: ${document.failure.code}`);
  for (const { words } of caveats) lines.push(words);
  lines.push(`Checked: ${timeText(document.now)}`);
  return `${lines.join("\n")}\n`;
}
