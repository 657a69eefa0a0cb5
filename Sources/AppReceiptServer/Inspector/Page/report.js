// The report on one input: the verdict, and the panels behind it.

import { base64Bytes, copyButton, count, h, icon, part, receiptText, shown, time } from "./dom.js";
import { tabs } from "./tabs.js";
import { overview } from "./overview.js";
import { purchasesPanel } from "./purchases.js";
import { timelinePanel } from "./timeline.js";
import { certificatesPanel } from "./certificates.js";
import { attributesPanel } from "./attributes.js";
import { bytesPanel } from "./bytes.js";
import { comparePanel } from "./compare.js";
import { exportPanel } from "./export.js";
import { signedContentsPanel, transactionReceiptPanel } from "./signed.js";
import { summaryText } from "./summary.js";
import { tokenBytesPanel } from "./segments.js";
import { payload } from "./asn1.js";
import { lookup } from "./values.js";
import { DATA_KINDS } from "./words.js";

const WRAPPERS = {
  "verify-receipt-request": "from a verifyReceipt request", "signed-payload": "from a JSON body", "server-request": "from a request to this server",
  "quotation-marks": "in quotation marks", bearer: "from a header",
};

const FORMATS = { der: "DER", ber: "BER", base64: "base64", pem: "PEM" };

/** The kind of the input, as a noun. */
export function noun(document) {
  switch (document.kind) {
    case "receipt": return "receipt";
    case "signed-data": return lookup(DATA_KINDS, document.dataKind)?.toLowerCase().replace(/^signed /, "") ?? "signed data";
    case "transaction-receipt": return "transaction receipt from before iOS 7";
    default: return "input";
  }
}

/** The report on a document. `tab` is the panel that is shown first, and `ontab` is called with the panel that is selected. */
export function report(document, ask, { tab, ontab }) {
  const binary = lazily(() => (document.der ? base64Bytes(document.der) : null));
  const content = lazily(() => (binary() ? payload(binary()) : null));
  const context = { document, ask, binary, payload: content, notice: () => notice(document) };
  const title = h("h3", { tabindex: "-1", class: "verdict-title" }, document.verdict === "valid" ? "Valid" : "Not valid");
  const { row, panels, choose } = tabs("Parts of the report", parts(context), { first: tab, ontab });
  context.choose = choose;
  context.showBytes = (offset) => {
    context.offset = offset;
    choose("bytes", true);
    context.revealOffset?.(offset);
  };
  const head = verdict(document, title);
  const summary = `${title.textContent}. ${head.querySelector(".verdict-sentence").textContent}`;
  const app = appOf(document);
  return { content: [head, row, panels], title, summary, name: typeof app === "string" && app ? shown(app).slice(0, 80) : document.input.title };
}

function lazily(make) {
  let value;
  let isMade = false;
  return () => {
    if (!isMade) {
      isMade = true;
      value = make();
    }
    return value;
  };
}

function parts(context) {
  const { document } = context;
  const list = [{ id: "overview", title: "Overview", build: () => overview(context) }];
  if (document.receipt) {
    const subscriptions = document.subscriptions.length;
    list.push(
      { id: "purchases", title: "Purchases", badge: document.receipt.purchases.length.toLocaleString("en"), build: () => purchasesPanel(context) },
      { id: "timeline", title: "Timeline", badge: subscriptions || undefined, build: () => timelinePanel(context) });
  }
  if (document.kind === "signed-data") list.push({ id: "contents", title: "Contents", build: () => signedContentsPanel(context) });
  if (document.kind === "transaction-receipt") {
    list.push({ id: "contents", title: "Contents", build: () => transactionReceiptPanel(context) });
  }
  if (document.certificates?.length > 0) {
    list.push({ id: "certificates", title: "Certificates", build: () => certificatesPanel(context) });
  }
  if (document.der) {
    list.push({ id: "attributes", title: "Attributes", build: () => attributesPanel(context) });
    list.push({ id: "bytes", title: "Bytes", build: () => bytesPanel(context) });
  } else if (document.token) list.push({ id: "bytes", title: "Bytes", build: () => tokenBytesPanel(context) });
  if (document.receipt || document.payload) list.push({ id: "compare", title: "Compare", build: () => comparePanel(context) });
  if (document.kind !== "unknown") list.push({ id: "export", title: "Export", build: () => exportPanel(context) });
  return list;
}

// The verdict.

function verdict(document, title) {
  const isValid = document.verdict === "valid";
  const tone = !isValid ? "bad" : document.trust === "sample" ? "sample" : toneOfEnvironment(document);
  return h("div", { class: `verdict ${tone}` },
    h("div", { class: "verdict-icon" }, icon(isValid ? "pass" : "fail")),
    h("div", { class: "verdict-body" },
      h("div", { class: "verdict-head" }, title, part(() => chips(document)),
        h("p", { class: "verdict-sentence" }, part(() => sentence(document)))),
      part(() => caveats(document).map((caveat) => h("p", { class: `caveat ${caveat.tone}` }, caveat.tone === "warn" && icon("warn"),
        h("span", {}, caveat.words, caveat.code && [" ", h("code", { class: "code" }, caveat.code)])))),
      h("p", { class: "source" }, part(() => source(document)))),
    copyButton("Copy summary", () => summaryText(document, { verdict: title.textContent, sentence: sentence(document), app: appOf(document), caveats: caveats(document) }),
      { class: "copy-summary", id: "copy-summary" }));
}

function toneOfEnvironment(document) {
  if (document.environment === "production") return document.trust === "apple" ? "good" : "plain";
  return document.environment === "sandbox" ? "sandbox" : "xcode";
}

const ENVIRONMENTS = {
  production: ["Production", "production"], sandbox: ["Sandbox", "sandbox"], xcode: ["Xcode", "xcode"],
};

function chips(document) {
  const list = [];
  const [name, kind] = lookup(ENVIRONMENTS, document.environment) ?? [null, null];
  if (name) list.push(h("span", { class: `chip ${kind}` }, name));
  else if (document.statedEnvironment) {
    list.push(h("span", { class: "chip unproven" }, `claims ${shown(document.statedEnvironment)}`));
  }
  if (document.trust === "sample") list.push(h("span", { class: "chip sample" }, "Sample, test root"));
  if (document.trust === "configured" && document.isProven && document.environment !== "xcode") list.push(h("span", { class: "chip" }, "Not Apple's root"));
  return h("span", { class: "chips" }, list);
}

/** The bundle identifier that the bytes state. */
const appOf = (document) => document.receipt?.bundleIdentifier ?? document.payload?.bundleId
  ?? document.payload?.data?.bundleId ?? document.payload?.appData?.bundleId;

export function sentence(document) {
  if (document.verdict !== "valid") return shown(document.failure?.message ?? "The input can't be read.");
  const what = noun(document);
  const app = appOf(document);
  const named = app ? ` for ${shown(app)}` : "";
  if (document.environment === "xcode") return `Xcode created this ${what}${named}. It proves nothing about a purchase.`;
  if (document.trust === "sample") return `A test root signed this ${what}${named}. It is a sample, and proves nothing.`;
  const { environment } = document;
  const isApples = document.trust === "apple";
  const place = environment === "production" ? "in production" : environment === "sandbox" ? "in the sandbox" : null;
  const signed = isApples ? `Apple signed this ${what}${named}${place ? `, ${place}` : ""}.`
    : `This ${what}${named}${place ? ` from ${environment === "sandbox" ? "the sandbox" : environment}` : ""} is signed under ${rootOf(document)}, which this server trusts ${document.roots?.includesApple ? "beside" : "in place of"} Apple's roots.`;
  if (environment === "sandbox") return `${signed} No money was paid.`;
  return environment === "production" ? signed : `${signed} The environment is unknown. Don't treat it as production.`;
}

/** The name of the root at which the chain ends. */
const rootOf = (document) => shown(document.certificates.find((certificate) => certificate.role === "anchor")?.commonName ?? "another root");

const COMPARED = {
  "bundle-identifier": "bundle identifier", environment: "environment", "device-hash": "device",
  "device-verification": "device",
};

/** What else to know about the verdict: `{words, tone, code}`. Only warnings have an icon. */
function caveats(document) {
  const list = [];
  const add = (tone, words, code) => { if (words) list.push({ tone, words, code }); };
  const isValid = document.verdict === "valid";
  if (!isValid) add("plain", document.failure?.remedy && `What to do: ${document.failure.remedy}`, document.failure?.code);
  if (document.failure?.code === "root-not-trusted" && document.roots?.includesApple === false && document.trust !== "sample") {
    add("plain", "Apple's roots are replaced on this server by its setting root. The value apple adds them.");
  }
  if (document.isOfTestKit) add("plain", "It is signed under the test kit's root. To trust that root, add it to the server's setting root.");
  if (!isValid && document.isProven) {
    add("plain", document.trust === "sample" ? "The signature itself is valid, under the test root of the samples." : "The signature itself is valid.");
  }
  const open = document.checks.filter((check) => check.code === "not-requested").map((check) => lookup(COMPARED, check.name)).filter(Boolean);
  if (isValid && open.length > 0) add("plain", `Not compared: ${open.join(", ")}.`);
  for (const words of [notServed(document), environmentNotServed(document), ignoredOptions(document)]) add("warn", words);
  const validated = document.validationDate ? Date.parse(document.validationDate) : null;
  if (validated !== null && validated > Date.parse(document.now)) add("warn", "Its date is in the future. Check the clock of the server.");
  return list;
}

const MAX_SERVED = 5;

/** A warning that the server serves other apps, if no app was specified. */
function notServed(document) {
  const served = document.served ?? [];
  const app = appOf(document);
  const isOpen = document.checks.some((check) => check.name === "bundle-identifier" && check.code === "not-requested");
  if (!isOpen || served.length === 0 || app === undefined || app === null || served.includes(app)) return null;
  const names = served.slice(0, MAX_SERVED).map(shown);
  if (served.length > MAX_SERVED) names.push(count(served.length - MAX_SERVED, "more app"));
  const last = names.pop();
  return `This server doesn't serve this app. It serves ${names.length > 0 ? `${names.join(", ")} and ${last}` : last}.`;
}

/** A warning that the server serves other environments, if none were specified. */
function environmentNotServed(document) {
  const served = document.servedEnvironments ?? [];
  const isOpen = document.checks.some((check) => check.name === "environment" && check.code === "not-requested");
  if (!isOpen || !document.environment || served.length === 0 || served.includes(document.environment)) return null;
  return `This server doesn't serve the environment ${shown(document.environment)}. It serves ${served.map(shown).join(" and ")}.`;
}

/** A warning that the page ignores the options in the input. */
function ignoredOptions(document) {
  const names = document.input.ignoredOptions ?? [];
  if (names.length === 0) return null;
  return `The request's ${names.map(shown).join(", ")} isn't compared. Enter it under “Check against”.`;
}

function source(document) {
  const { input } = document;
  const words = [input.format && lookup(FORMATS, input.format), count(input.bytes, "byte"),
    input.wrapper && lookup(WRAPPERS, input.wrapper)].filter(Boolean).join(", ");
  const what = document.kind === "signed-data" ? lookup(DATA_KINDS, document.dataKind) ?? "Signed data" : null;
  return [what ? `${what} · ` : null, words,
    document.validationDate && [document.kind === "signed-data" ? " · signed " : " · created ", time(document.validationDate)]];
}

/** The notice above contents that aren't proven, valid or from production. */
function notice(document) {
  if (document.verdict === "valid" && document.trust !== "sample" && document.environment === "production") return null;
  if (!document.isProven) {
    return h("p", { class: "notice bad" }, icon("warn"), h("span", {},
      h("strong", {}, "Claimed by the input, not proven. "), "Anyone can create such data."));
  }
  if (document.verdict !== "valid") {
    return h("p", { class: "notice warn" }, icon("warn"), h("span", {},
      "The signature is valid, but an expectation isn't met. See the checks."));
  }
  if (document.environment === "sandbox" && document.trust !== "sample") {
    return h("p", { class: "notice warn" }, icon("warn"), h("span", {}, "From the sandbox. No money was paid."));
  }
  if (document.environment === "xcode") {
    return h("p", { class: "notice warn" }, icon("warn"), h("span", {}, "From Xcode. This proves nothing about a purchase."));
  }
  return null;
}
