// The overview: the checks with their reasons, and the receipt's fields.

import { ago, count, h, icon, part, receiptText, time } from "./dom.js";
import { lookup, written } from "./values.js";
import { DATA_KINDS } from "./words.js";

const TITLES = {
  container: "Container", payload: "Payload", "certificate-chain": "Certificate chain", signature: "Signature",
  "bundle-identifier": "Bundle identifier", environment: "Environment", "app-version": "App version",
  "original-app-version": "Original version", "device-hash": "Device", expiration: "Expiration", token: "Token",
  "app-apple-id": "App Apple ID", "device-verification": "Device", "nested-data": "Nested data",
};

const OUTCOMES = { passed: ["pass", "Passed"], failed: ["fail", "Failed"], skipped: ["skip", "Skipped"] };

export function overview(context) {
  return h("div", { class: "columns" },
    h("section", { class: "checks-section", "aria-labelledby": "checks-title" },
      h("h4", { id: "checks-title" }, "Checks"),
      h("ol", { class: "checks" }, context.document.checks.map((check) => part(() => checkRow(check))))),
    part(() => facts(context)));
}

function checkRow(check) {
  const [shape, word] = lookup(OUTCOMES, check.outcome) ?? OUTCOMES.skipped;
  const evidence = check.evidence.filter((row) => row.found !== null || row.expected !== null);
  return h("li", { class: `check ${check.outcome}`, "data-check": check.name },
    h("span", { class: "mark" }, icon(shape), h("span", { class: "unseen" }, `${word}: `)),
    h("div", { class: "check-body" },
      h("h5", {}, lookup(TITLES, check.name) ?? check.name),
      h("p", {}, receiptText(check.message), check.outcome === "failed" && [" ", h("code", { class: "code" }, check.code)]),
      check.remedy && h("p", { class: "remedy" }, h("strong", {}, "What to do: "), check.remedy),
      evidence.length === 1 && check.outcome !== "failed" && evidence[0].expected === null
        ? h("p", { class: "found" }, `${evidence[0].name}: `, receiptText(evidence[0].found, "code"))
        : evidence.length > 0 && h("details", { open: check.outcome === "failed" },
        h("summary", {}, "Evidence", h("span", { class: "unseen" }, ` of ${lookup(TITLES, check.name) ?? check.name}`)),
        evidenceTable(check, evidence))));
}

function evidenceTable(check, evidence) {
  const compares = evidence.some((row) => row.expected !== null);
  return h("div", { class: "scroll" }, h("table", { class: "evidence" },
    h("caption", { class: "unseen" }, `Evidence of ${lookup(TITLES, check.name) ?? check.name}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Name"), h("th", { scope: "col" }, "Found"),
      compares && h("th", { scope: "col" }, "Expected"))),
    h("tbody", {}, evidence.map((row) => h("tr", {}, h("th", { scope: "row" }, receiptText(row.name)),
      h("td", {}, row.found === null ? h("span", { class: "muted" }, "nothing") : receiptText(row.found)),
      compares && h("td", {}, row.expected === null ? h("span", { class: "muted" }, "anything") : receiptText(row.expected)))))));
}

function activeWords(document) {
  const active = document.subscriptions.filter((subscription) => subscription.isActive).length;
  return `${active === 0 ? "none" : active} active now, according to this receipt`;
}

const PLATFORMS = { 2: "macOS", 3: "iOS" };

function facts({ document, choose, notice }) {
  const { receipt } = document;
  const rows = [];
  const row = (name, value) => { if (value !== undefined && value !== null && value !== "" && value !== false) rows.push([name, value]); };
  const moment = (value) => value && [time(value), h("span", { class: "muted ago" }, ago(value, document.now))];
  if (receipt) {
    row("Bundle identifier", receipt.bundleIdentifier && receiptText(receipt.bundleIdentifier, "code"));
    row("App version", receipt.appVersion && receiptText(receipt.appVersion));
    row("Original version", receipt.originalAppVersion && receiptText(receipt.originalAppVersion));
    row("Environment", receipt.environment && receiptText(receipt.environment));
    row("Created", moment(receipt.creationDate));
    row("First bought", moment(receipt.originalPurchaseDate));
    row("Preordered", moment(receipt.preorderDate));
    row("Expires", moment(receipt.expirationDate));
    row("Purchases", receipt.purchases.length === 0 ? "none" : receipt.purchases.length.toLocaleString("en"));
    row("Subscriptions", document.subscriptions.length
      ? [count(document.subscriptions.length, "subscription"), h("span", { class: "muted ago" }, activeWords(document))] : null);
    row("App Store ID", receipt.appStoreIdentifier !== "0" && receipt.appStoreIdentifier);
    row("Download ID", receipt.downloadIdentifier !== "0" && receipt.downloadIdentifier);
    row("Age rating", receipt.ageRating && receiptText(receipt.ageRating));
    row("Platform", receipt.platformCode !== undefined
      ? lookup(PLATFORMS, receipt.platformCode) ?? `code ${written(receipt.platformCode)}` : null);
    row("Volume client", receipt.volumePurchaseClientName && receiptText(receipt.volumePurchaseClientName));
  } else if (document.payload) {
    const { payload } = document;
    row("Kind", lookup(DATA_KINDS, document.dataKind) ?? "Not recognized");
    row("Bundle identifier", (payload.bundleId ?? payload.data?.bundleId) && receiptText(payload.bundleId ?? payload.data?.bundleId, "code"));
    row("Notification", payload.notificationType && receiptText([payload.notificationType, payload.subtype].filter(Boolean).map(written).join(" · ")));
    row("Product", payload.productId && receiptText(payload.productId, "code"));
    row("Environment", document.statedEnvironment && receiptText(document.statedEnvironment));
    row("Signed", moment(document.validationDate));
  }
  if (rows.length === 0) return null;
  return h("section", { class: "facts", "aria-labelledby": "facts-title" },
    h("h4", { id: "facts-title" }, document.isProven ? "Contents" : "Claimed contents, not proven"),
    notice(),
    h("dl", {}, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}
