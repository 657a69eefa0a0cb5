// The certificate chain from the root down, with the validity of each certificate on one axis.

import { dayText, h, icon, milliseconds, replace, s, receiptText, shown, time, whenZoneChanges } from "./dom.js";
import { lookup } from "./values.js";
import { axis, axisLabels, gridLines, marker, maxTicks } from "./axis.js";

const ORDER = ["anchor", "xcode", "intermediate", "signer", "unused"];

const ROLES = {
  anchor: ["Trusted root", "From the configuration, not from the input."],
  intermediate: ["Intermediate", "Signed by the root."],
  signer: ["Signer", "Signed the content."],
  xcode: ["Xcode", "Trusted by the configuration. Its key ships with Xcode, so it proves nothing about a purchase."],
  unused: ["Not used", "In the container, but not part of the chain."],
};

/** Whether the chain ends at a trusted root. */
const isTrusted = (document) => document.certificates.some((one) => one.role === "anchor" || one.role === "xcode");

function role(certificate, document) {
  if (isTrusted(document)) return lookup(ROLES, certificate.role) ?? [shown(certificate.role), ""];
  if (certificate.role === "signer") return ["Signer, not proven", "The claimed signer. Its chain doesn't end at a trusted root."];
  return ["Embedded, not proven", "In the input, which proves nothing."];
}

export function certificatesPanel({ document }) {
  const list = [...document.certificates].sort((a, b) => ORDER.indexOf(a.role) - ORDER.indexOf(b.role));
  const made = milliseconds(document.validationDate);
  const now = Date.parse(document.now);
  let [from, to] = [made ?? now, now];
  for (const certificate of list) {
    from = Math.min(from, milliseconds(certificate.notBefore) ?? from);
    to = Math.max(to, milliseconds(certificate.notAfter) ?? to);
  }
  const scale = axis(from, to);
  const place = h("div");
  const event = document.kind === "signed-data" ? "signed" : "created";
  function draw() {
    replace(place,
      h("ol", { class: "chain", "aria-label": "Certificates, from the root down" }, list.map((certificate) => row(certificate, document, scale, made, now, event))),
      h("div", { class: "axis-below" }, axisLabels(scale, maxTicks())));
  }
  draw();
  const stop = whenZoneChanges(() => (place.isConnected ? draw() : stop()));
  return [h("p", { class: "lead" }, made === null
    ? "The receipt has no date at which the certificates could be validated."
    : ["Validated at ", time(document.validationDate), `, when it was ${event}. Certificates that expired later are valid.`]),
  h("ul", { class: "legend", "aria-label": "Legend" },
    legendItem(s("rect", { class: "bar-valid", x: "0.5", y: "1", width: "17", height: "10", rx: "2" }), "Valid"),
    legendItem(s("line", { class: "marker made", x1: "9", x2: "9", y1: "0", y2: "12" }), `When it was ${event}`),
    legendItem(s("line", { class: "marker now", x1: "9", x2: "9", y1: "0", y2: "12" }), "Now")),
  place];
}

const legendItem = (shape, words) =>
  h("li", {}, s("svg", { class: "swatch", width: "18", height: "12", "aria-hidden": "true" }, shape), words);

function validity(certificate, at) {
  if (at === null) return null;
  if (at < Date.parse(certificate.notBefore)) return "not yet valid";
  return at > Date.parse(certificate.notAfter) ? "expired" : "valid";
}

function row(certificate, document, scale, made, now, event) {
  const [title, words] = role(certificate, document);
  const [from, to] = [Date.parse(certificate.notBefore), Date.parse(certificate.notAfter)];
  const [then, today] = [validity(certificate, made), validity(certificate, now)];
  const isGood = then === "valid";
  const isUsed = certificate.role !== "unused";
  // Without a trusted root, the validity of a certificate is meaningless.
  const isEvaluated = then !== null && isUsed && isTrusted(document);
  return h("li", { class: `certificate ${isUsed ? "" : "unused"}` },
    h("div", { class: "certificate-head" },
      h("span", { class: "link-mark" }, icon(!isEvaluated ? "skip" : isGood ? "pass" : "fail", !isEvaluated ? "" : isGood ? "good" : "bad")),
      h("div", {}, h("h4", {}, receiptText(certificate.commonName)),
        h("p", { class: "muted" }, h("strong", {}, title), " – ", words))),
    s("svg", { class: "bars", width: "100%", height: "30", role: "img",
      "aria-label": `Valid from ${dayText(from)} to ${dayText(to)}` + (then ? `; ${then} when it was ${event}` : "") + `; ${today} now` },
    gridLines(scale, maxTicks()),
    s("rect", { class: isGood || then === null ? "bar-valid" : "bar-invalid", x: `${scale.clip(from)}%`, y: "8", width: `${Math.max(0.3, scale.clip(to) - scale.clip(from))}%`, height: "14", rx: "3" },
      s("title", {}, `${dayText(from)} to ${dayText(to)}`)),
    marker(scale, made, "made"), marker(scale, now, "now")),
    h("p", { class: "validity" }, time(certificate.notBefore, "day"), " to ", time(certificate.notAfter, "day"),
      then && h("span", { class: `state ${isGood ? "active" : "canceled"}` }, `${then} then`),
      h("span", { class: `state ${today === "valid" ? "active" : "ended"}` }, `${today} now`),
      h("span", { class: "muted" }, shown(certificate.key))),
    h("details", {}, h("summary", {}, "Names and fingerprint", h("span", { class: "unseen" }, ` of ${shown(certificate.commonName)}`)),
      h("dl", { class: "stack" }, [["Subject", receiptText(certificate.subject)], ["Issuer", receiptText(certificate.issuer)],
        ["Serial number", receiptText(certificate.serialNumber, "code")], ["Valid", [time(certificate.notBefore), " to ", time(certificate.notAfter)]],
        ["SHA-256", receiptText(certificate.sha256Fingerprint, "code")]]
        .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))));
}
