// The overview: what happened, what the customer has, the checks, and the contents.

import { ago, h, identifier, part, receiptText, time } from "./dom.js";
import { checksSection, technicalSection } from "./checks.js";
import { accountSection, historySection } from "./history.js";
import { eventSection, productsSection } from "./products.js";
import { claimedSection } from "./signed.js";
import { lookup, written } from "./values.js";
import { DATA_KINDS } from "./words.js";

export function overview(context) {
  const { document } = context;
  // The input's own claims come after what is known about the customer.
  return h("div", { class: "overview" }, part(() => productsSection(document)), part(() => accountSection(context)),
    part(() => historySection(document)), part(() => claimedSection(context)), part(() => eventSection(document)), part(() => checks(context)), part(() => facts(context)));
}

function checks({ document, notes }) {
  if (document.verdict !== "valid") return technicalSection(document, notes);
  return document.checks && checksSection(document);
}

const PLATFORMS = { 2: "macOS", 3: "iOS" };

function facts({ document, notice }) {
  const { receipt, payload } = document;
  const rows = [];
  const row = (name, value) => { if (value !== undefined && value !== null && value !== "" && value !== false) rows.push([name, value]); };
  const moment = (value) => value && [time(value), h("span", { class: "muted ago" }, ago(value, document.now))];
  // The verdict states the environment already.
  const environment = (value) => value && written(value).toLowerCase() !== written(document.environment ?? document.statedEnvironment ?? "").toLowerCase() && receiptText(value);
  const named = (value, label) => value && identifier(value, { label });
  if (receipt) {
    row("Bundle identifier", named(receipt.bundleIdentifier, "bundle identifier"));
    row("App version", receipt.appVersion && receiptText(receipt.appVersion));
    row("Original version", receipt.originalAppVersion && receiptText(receipt.originalAppVersion));
    row("Environment", environment(receipt.environment));
    row("Created", moment(receipt.creationDate));
    row("Purchased", document.kind === "transaction-receipt" && moment(document.validationDate));
    row("First bought", moment(receipt.originalPurchaseDate));
    row("Preordered", moment(receipt.preorderDate));
    row("Expires", moment(receipt.expirationDate));
    row("Purchases", receipt.purchases.length === 0 ? "none" : receipt.purchases.length.toLocaleString("en"));
    row("Subscriptions", document.subscriptions.length > 0 && document.subscriptions.length.toLocaleString("en"));
    row("App Store ID", receipt.appStoreIdentifier !== "0" && named(receipt.appStoreIdentifier, "App Store ID"));
    row("Download ID", receipt.downloadIdentifier !== "0" && named(receipt.downloadIdentifier, "download ID"));
    row("Age rating", receipt.ageRating && receiptText(receipt.ageRating));
    row("Platform", receipt.platformCode !== undefined
      ? lookup(PLATFORMS, receipt.platformCode) ?? `code ${written(receipt.platformCode)}` : null);
    row("Volume client", receipt.volumePurchaseClientName && receiptText(receipt.volumePurchaseClientName));
  } else if (payload) {
    row("Kind", lookup(DATA_KINDS, document.dataKind) ?? "Not recognized");
    row("Bundle identifier", named(payload.bundleId ?? payload.data?.bundleId, "bundle identifier"));
    row("Notification", payload.notificationType && receiptText([payload.notificationType, payload.subtype].filter(Boolean).map(written).join(" · ")));
    row("Notification UUID", named(payload.notificationUUID, "notification UUID"));
    row("Product", named(payload.productId, "product identifier"));
    row("Transaction", named(payload.transactionId, "transaction"));
    row("Environment", environment(document.statedEnvironment));
    row("Signed", moment(document.validationDate));
  }
  if (rows.length === 0) return null;
  return h("section", { class: "card facts", "aria-labelledby": "facts-title" },
    h("h4", { id: "facts-title" }, document.isProven ? "Contents" : "Claimed contents, not proven"),
    document.verdict !== "valid" && document.isProven && notice(),
    h("dl", { class: "fields" }, rows.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value)))));
}
