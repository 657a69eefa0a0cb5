// The report on one input: the verdict, and the panels behind it.

import { base64Bytes, copyButton, count, h, icon, part, shown, time, toSend } from "./dom.js";
import { tabs } from "./tabs.js";
import { answer, answersFirst, appOf, appsOf, checkedItem, contained, isAnyActive, noun } from "./answer.js";
import { overview } from "./overview.js";
import { purchasesPanel } from "./purchases.js";
import { timelinePanel } from "./timeline.js";
import { certificatesPanel } from "./certificates.js";
import { attributesPanel } from "./attributes.js";
import { bytesPanel } from "./bytes.js";
import { comparePanel } from "./compare.js";
import { exportPanel } from "./export.js";
import { signedContentsPanel, transactionReceiptPanel } from "./signed.js";
import { foundText, summaryText } from "./summary.js";
import { tokenBytesPanel } from "./segments.js";
import { evidencePanel } from "./history.js";
import { payload } from "./asn1.js";
import { lookup, written } from "./values.js";
import { DATA_KINDS, LEAD_FAILURES, signing } from "./words.js";

const FORMATS = { der: "DER", ber: "BER", base64: "base64", pem: "PEM" };

/** The report on a document. `tab` is the panel that is shown first, and `ontab` is called with the panel that is selected. */
export function report(document, ask, { find, tab, ontab }) {
  const binary = lazily(() => (document.der ? base64Bytes(document.der) : null));
  const content = lazily(() => (binary() ? payload(binary()) : null));
  const context = { document, ask, find, binary, payload: content, notice: () => notice(document), notes: notes(document) };
  const title = h("h3", { tabindex: "-1", class: "verdict-title" }, titleOf(document));
  const { row, panels, choose } = tabs("Parts of the report", parts(context), { first: tab, ontab });
  context.choose = choose;
  context.showBytes = (offset) => {
    choose("bytes", true);
    context.revealOffset?.(offset);
  };
  const words = answersFirst(document) ? answer(document).text : title.textContent;
  const summary = answersFirst(document) ? `${words}. ${SIGNED}.` : `${words}. ${answer(document).text}.`;
  const apps = appsOf(document);
  const app = document.kind === "customer" ? null : apps.length > 1 ? listed(apps.map(written)) : appOf(document);
  const head = verdict(document, title, app, find);
  return { content: [head, row, panels], title, words: words.slice(0, 120), summary, name: typeof app === "string" && app ? shown(app).slice(0, 80) : document.input.title };
}

/** What was found by a search, as nouns. */
const MATCHES = { account: "Account", transaction: "Transaction", order: "Order" };

function titleOf(document) {
  if (document.match === "claims") return document.claimed?.isResponse === false ? count(document.claimed.purchases.length, "transaction").replace(/^1 /, "A ") + " in unsigned data" : "Transactions in an unverified response";
  if (document.kind === "customer") return `${lookup(MATCHES, document.match) ?? "Customer"} ${shown(document.input.name)}`;
  return answersFirst(document) ? h("span", { class: "headline" }, answer(document).lead) : "Not valid";
}

/** What is said about the proof of a valid input, after the answer: what was refunded isn't valid. */
const SIGNED = "Signature valid";

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
  if (document.kind === "customer" && document.subscriptions.length > 0) {
    list.push({ id: "timeline", title: "Timeline", badge: document.subscriptions.length, build: () => timelinePanel(context) });
  }
  if (document.customer) {
    list.push({ id: "evidence", title: "Evidence", badge: document.evidence.length, build: () => evidencePanel(context) });
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
  if (document.kind !== "unknown" && document.kind !== "customer") list.push({ id: "export", title: "Export", build: () => exportPanel(context) });
  return list;
}

// The verdict: one line, which expands to the sentence behind it. The answer is in the overview.

function verdict(document, title, app, find) {
  if (document.kind === "customer") return found(document, title, find);
  const isValid = document.verdict === "valid";
  const tone = !isValid ? "bad" : document.trust === "sample" ? "sample" : toneOf(document);
  const more = h("div", { class: "verdict-more", id: "verdict-more", hidden: true },
    h("p", { class: "verdict-sentence" }, part(() => sentence(document))), h("p", { class: "source" }, part(() => source(document))));
  const toggle = h("button", { type: "button", class: "quiet small verdict-toggle", "aria-expanded": "false", "aria-controls": "verdict-more", onclick: () => {
    more.hidden = !more.hidden;
    toggle.setAttribute("aria-expanded", String(!more.hidden));
  } }, h("span", { class: "words" }, isValid ? "Why it is valid" : "Details"), h("span", { class: "chevron" }));
  const copy = copyButton("Copy summary", () => summaryText(document, { verdict: isValid ? SIGNED : title.textContent, sentence: sentence(document), app, notes: [...notes(document), ...leadsOf(document).map((lead) => shown(lead.words)), ...warnings(document)] }),
    { class: "quiet small copy-summary", id: "copy-summary" });
  return h("div", { class: `verdict ${tone}`, "data-verdict": document.verdict },
    isValid && h("div", { class: "verdict-answer" }, title),
    h("div", { class: "verdict-head" }, h("span", { class: "verdict-icon" }, icon(isValid ? "pass" : "fail")), isValid ? h("strong", { class: "verdict-proof" }, SIGNED) : title, part(() => chips(document)),
      h("span", { class: "verdict-buttons" }, toggle, copy)),
    part(() => [...leadsOf(document).map((lead) => leadCaveat(lead, find)), ...warnings(document).map((words) => caveat(words))]),
    more);
}

/** The head of a search's result: what was found. */
function found(document, title, find) {
  const copy = copyButton("Copy summary", () => foundText(document, title.textContent), { class: "quiet small copy-summary", id: "copy-summary" });
  return h("div", { class: "verdict plain" },
    h("div", { class: "verdict-head" }, h("span", { class: "verdict-icon" }, icon("info")), title, part(() => chips(document)),
      h("span", { class: "verdict-buttons" }, copy)),
    part(() => [leadsOf(document).map((lead) => leadCaveat(lead, find)), leadSentences(document), contained(document).map((words) => caveat(words)), document.hasDamagedItem && h("p", { class: "caveat" }, "If something is missing here, ask for the whole receipt.")]));
}

/** What else the message names beside what was found or proven. */
const leadsOf = (document) => document.leads ?? [];

/** A sentence for the customer about what can't be searched, unless the input proves something. */
const leadSentences = (document) => (document.kind !== "customer" ? []
  : [...new Set(leadsOf(document).map(({ code }) => lookup(LEAD_FAILURES, code)).filter(Boolean))].map((sentence) => toSend("For the customer", sentence)));

/** One of them, with a button where a search may find it. */
const leadCaveat = ({ words, search }, find) => caveat(shown(words), search !== null && h("button", { type: "button", class: "quiet small", onclick: () => find(written(search)) }, `Find ${shown(search)}`));

const caveat = (...content) => h("p", { class: "caveat warn" }, icon("warn"), h("span", {}, content.map((one, index) => [index > 0 && one && " ", one])));

function toneOf(document) {
  if (document.environment === "production") return document.trust === "apple" && isAnyActive(document) ? "good" : "plain";
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

function sentence(document) {
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

/** What else developers should know about a failure. */
function notes(document) {
  const list = [];
  if (document.verdict === "valid") return list;
  if (document.failure?.code === "root-not-trusted" && document.roots?.includesApple === false && document.trust !== "sample") {
    list.push("Apple's roots are replaced on this server by its setting root. The value apple adds them.");
  }
  if (document.isOfTestKit) list.push("It is signed under the test kit's root. To trust that root, add it to the server's setting root.");
  return list;
}

/** What to know before relying on the verdict. */
function warnings(document) {
  const list = [...contained(document), checkedItem(document), ignoredOptions(document), receiptOptions(document)].filter(Boolean);
  const validated = document.validationDate ? Date.parse(document.validationDate) : null;
  if (validated !== null && validated > Date.parse(document.now)) list.push("Its date is in the future. Check the clock of the server.");
  return list;
}

/** A warning that the page ignores the options in the input. */
function ignoredOptions(document) {
  const names = document.input.ignoredOptions ?? [];
  if (names.length === 0) return null;
  const [verb, pronoun] = names.length === 1 ? ["isn't", "it"] : ["aren't", "them"];
  return `The request's ${listed(names.map(shown))} ${verb} compared. Enter ${pronoun} under “Check against”.`;
}

/** A warning that signed data isn't compared with options for receipts. */
function receiptOptions(document) {
  const names = document.receiptOptions ?? [];
  if (names.length === 0) return null;
  return `${listed(names.map(shown))} ${names.length === 1 ? "applies" : "apply"} to receipts only and ${names.length === 1 ? "wasn't" : "weren't"} compared.`
    + (names.includes("device-id") ? " For signed data, enter the UUID of one device." : "");
}

/** Texts as a list in a sentence. */
const listed = (texts) => (texts.length < 2 ? texts.join() : `${texts.slice(0, -1).join(", ")} and ${texts[texts.length - 1]}`);

/** The format and date of the input. The bar states its size. */
function source(document) {
  const { input } = document;
  const date = document.validationDate;
  const words = [document.kind === "signed-data" ? lookup(DATA_KINDS, document.dataKind) ?? "Signed data" : null, input.format && lookup(FORMATS, input.format),
    input.normalizations?.length > 0 && `decoded ${input.normalizations.map(shown).join(", ")}`].filter(Boolean).join(", ");
  return [words, words && date && " · ", date && [`${signing(document)[0]} `, time(date)]];
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
