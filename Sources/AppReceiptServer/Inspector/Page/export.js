// Exports the report as JSON, as Swift code for the same input, and as the answer of verifyReceipt.

import { copyButton, count, download, h, icon, replace, see } from "./dom.js";
import { RequestFailure } from "./api.js";

const MAX_SHOWN = 60_000;

export function exportPanel(context) {
  let full = context.document;
  const place = h("div", { class: "export-body" });

  /** The complete document, which is requested only now for a large receipt. */
  async function complete() {
    if (full.isAbridged) full = await context.ask(undefined, { complete: true });
    return full;
  }

  const forms = [
    context.document.checks && { id: "json", title: "JSON", file: "report.json", type: "application/json", words: jsonWords(context.document), text: async () => json(full) },
    context.document.receipt?.purchases && { id: "raw", title: "JSON with raw attributes", file: "report-raw.json", type: "application/json",
      words: "The report with every attribute and its bytes in base64.", text: async () => json(await complete(), true) },
    context.document.swift && { id: "swift", title: "Swift", file: "CheckReceipt.swift", type: "text/plain",
      words: "Verifies this input in a project that uses AppReceiptKit.", text: async () => full.swift },
    context.document.kind !== "signed-data" && { id: "verify-receipt", title: "verifyReceipt", file: "verify-receipt.json", type: "application/json",
      words: "The answer of verifyReceipt for the receipt alone. This server's /verifyReceipt adds what the server stored.", text: async () => (await complete()).verifyReceipt.text },
  ].filter(Boolean);

  const buttons = forms.map((form) => h("button", { type: "button", "aria-pressed": "false", "data-export": form.id, onclick: () => show(form) }, form.title));

  async function show(form) {
    buttons.forEach((button, index) => button.setAttribute("aria-pressed", String(forms[index] === form)));
    replace(place, h("p", { class: "muted" }, "Loading…"));
    let text;
    try {
      text = await form.text();
    } catch (error) {
      const failure = error instanceof RequestFailure ? error : new RequestFailure("The export failed.", "Try again.");
      replace(place, h("p", { class: "notice bad" }, icon("warn"), h("span", {}, failure.message, " ", failure.remedy, " ", see(failure.documentation))));
      return;
    }
    const reason = form.id === "verify-receipt" ? full.verifyReceipt?.reason : null;
    replace(place, h("div", { class: "export-head" }, h("p", { class: "hint" }, form.words),
      h("div", { class: "row" }, copyButton(`Copy ${form.title}`, () => text, { "data-copy": form.id }),
        h("button", { type: "button", class: "quiet", onclick: () => download(form.file, text, form.type) }, icon("file"), "Save as file"))),
    reason && h("p", { class: "notice warn" }, icon("warn"), h("span", {}, reason.message, " ", reason.remedy, " ", see(reason.documentation))),
    h("pre", { tabindex: "0", "aria-label": form.title, class: "code-block" }, text.slice(0, MAX_SHOWN)),
    text.length > MAX_SHOWN && h("p", { class: "hint" }, `${count(text.length - MAX_SHOWN, "more character")} not shown. Copying includes the whole text.`));
  }

  show(forms[0]);
  return [h("div", { class: "segments wide", role: "group", "aria-label": "Export format" }, buttons), place];
}

function jsonWords(document) {
  return document.kind === "signed-data"
    ? "The report of /v1/signed-data/verify." : "The report of /v1/receipts/validate.";
}

function json(document, isRaw = false) {
  if (document.kind === "signed-data") return document.report;
  const { verdict, environment = null, failure, checks, products = [], receipt = null } = document;
  return `${JSON.stringify({
    verdict, environment,
    failure: failure && {
      check: failure.check, code: failure.code, message: failure.message, remedy: failure.remedy,
      documentation: failure.documentation,
    },
    checks: checks.map(({ name, outcome, code, message }) => ({ name, outcome, code, message })),
    products: products.map(entitlement),
    receipt: receipt && (isRaw ? receipt : withoutAttributes(receipt)),
  }, null, 2)}\n`;
}

/** An entitlement without what the page adds to it. */
function entitlement({ bundleIdentifier: _, isOutdated: _outdated, account: _account, name: _name, renewsAsName: _next, forCustomer: _customer, forTicket: _ticket, decidedBy: _decided, ...rest }) {
  return rest;
}

function withoutAttributes(receipt) {
  const { attributes, purchases, ...rest } = receipt;
  return { ...rest, purchases: purchases.map(({ attributes: _, ...purchase }) => purchase) };
}
