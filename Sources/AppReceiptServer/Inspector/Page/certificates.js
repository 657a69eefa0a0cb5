// The certificate chain from the root down, with the validity of each certificate on one axis.

import { dayText, h, icon, identifier, milliseconds, receiptText, replace, s, see, shown, time, whenZoneChanges } from "./dom.js";
import { lookup } from "./values.js";
import { signing } from "./words.js";
import { axis, axisLabels, gridLines, marker, maxTicks } from "./axis.js";

const ROLES = {
  anchor: ["Trusted root", "From the configuration, not from the input."],
  intermediate: ["Intermediate", "Signed by the root."],
  signer: ["Signer", "Signed the content."],
  xcode: ["Xcode", "Trusted by the configuration. Its key ships with Xcode, so it proves nothing about a purchase."],
  unused: ["Not used", "In the input, but not part of the chain."],
};

/** What a broken link of the chain means, by the code of the failure. */
const BREAKS = {
  "root-not-trusted": "Broken here: the chain doesn't lead to a trusted root.",
  "intermediate-signature-invalid": "Broken here: the trusted root's key didn't sign the intermediate.",
  "signer-signature-invalid": "Broken here: the intermediate's key didn't sign the signer.",
  "intermediate-missing": "Broken here: the certificate that issued the signer is missing.",
  "chain-too-short": "Broken here: there is no intermediate between the root and the signer.",
  "chain-too-long": "Broken here: there is more than one intermediate.",
};

/** Whether the chain ends at a trusted root. */
const isTrusted = (document) => document.certificates.some((one) => one.role === "anchor" || one.role === "xcode");

function role(certificate, document) {
  if (isTrusted(document)) return lookup(ROLES, certificate.role) ?? [shown(certificate.role), ""];
  if (certificate.role === "signer") return ["Signer, not proven", "The claimed signer. Its chain doesn't end at a trusted root."];
  if (certificate.isApples) return ["Apple's root, not trusted here", "This server's configuration replaces Apple's roots."];
  if (certificate.subject === certificate.issuer) return ["Root in the input, not trusted", "Anybody can put a root into a receipt, so it proves nothing."];
  return ["Embedded, not proven", "In the input, which proves nothing."];
}

/** The chain from the root down, and the certificates that aren't part of it. */
function ordered(document) {
  const path = document.chain?.path ?? [];
  const place = (certificate) => path.indexOf(certificate.sha256Fingerprint);
  return {
    chain: document.certificates.filter((one) => place(one) >= 0).sort((a, b) => place(a) - place(b)),
    others: document.certificates.filter((one) => place(one) < 0),
  };
}

export function certificatesPanel({ document }) {
  const { chain, others } = ordered(document);
  const made = milliseconds(document.validationDate);
  const now = Date.parse(document.now);
  let [from, to] = [made ?? now, now];
  for (const certificate of document.certificates) {
    from = Math.min(from, milliseconds(certificate.notBefore) ?? from);
    to = Math.max(to, milliseconds(certificate.notAfter) ?? to);
  }
  const scale = axis(from, to);
  const place = h("div");
  const [event] = signing(document);
  const draw = () => replace(place,
    h("ol", { class: "chain", "aria-label": "Certificates, from the root down" }, links(chain, document, scale, made, now, event)),
    others.length > 0 && [h("h4", { class: "others-title" }, "Not part of the chain"),
      h("ul", { class: "chain" }, others.map((certificate) => row(certificate, document, scale, made, now, event)))],
    h("div", { class: "axis-below" }, axisLabels(scale, maxTicks())));
  draw();
  const stop = whenZoneChanges(() => (place.isConnected ? draw() : stop()));
  return [advice(document, event),
    h("ul", { class: "legend", "aria-label": "Legend" },
      legendItem(s("rect", { class: "bar-in-date", x: "0.5", y: "1", width: "17", height: "10", rx: "2" }), "In date"),
      legendItem(s("line", { class: "marker made", x1: "9", x2: "9", y1: "0", y2: "12" }), `When it was ${event}`),
      legendItem(s("line", { class: "marker now", x1: "9", x2: "9", y1: "0", y2: "12" }), "Now")),
    place];
}

/** What the chain means, in plain words. */
function advice(document, event) {
  const check = document.checks.find((one) => one.name === "certificate-chain");
  if (check?.outcome === "failed") {
    return h("div", { class: "notice bad chain-advice" }, icon("fail"), h("div", {}, h("p", {}, receiptText(check.message)),
      check.remedy && h("p", {}, h("strong", {}, "What to do: "), check.remedy, " ", see(check.documentation))));
  }
  if (document.validationDate === null || document.validationDate === undefined) {
    return h("p", { class: "lead" }, "The input has no date at which the certificates could be validated.");
  }
  const { chain } = ordered(document);
  const hasExpired = chain.some((certificate) => validity(certificate, Date.parse(document.now)) === "expired");
  return h("p", { class: "lead" }, `Each certificate is signed by the one above it, and was in date at `, time(document.validationDate),
    `, when the ${signing(document)[1]}.`, hasExpired && " That some have expired since doesn't matter.");
}

/** The certificates of the chain, with the broken link marked between the two certificates that it concerns. */
function links(chain, document, scale, made, now, event) {
  const broken = document.chain?.brokenBelow ?? null;
  const words = lookup(BREAKS, document.failure?.code) ?? "Broken here.";
  const mark = h("p", { class: "broken", "data-broken": "" }, icon("fail"), words);
  const items = chain.map((certificate) => row(certificate, document, scale, made, now, event));
  const at = chain.findIndex((certificate) => certificate.sha256Fingerprint === broken);
  if (at < 0) return items;
  // The link is part of the item below it, so that the list contains nothing but certificates.
  items[at].prepend(mark);
  items[at].classList.add("below-break");
  // The trusted root isn't part of a chain that doesn't reach it.
  if (at === 0) items.unshift(trustedRoots(document));
  return items;
}

const trustedRoots = (document) => h("li", { class: "certificate trusted-roots" },
  h("div", { class: "certificate-head" }, h("span", { class: "link-mark" }, icon("skip")),
    h("div", {}, h("h4", {}, receiptText(document.chain?.root ?? "The trusted roots")), h("p", { class: "muted" }, h("strong", {}, "Trusted here"), " – ", "From the configuration, not from the input."))));

const legendItem = (shape, words) =>
  h("li", {}, s("svg", { class: "swatch", width: "18", height: "12", "aria-hidden": "true" }, shape), words);

function validity(certificate, at) {
  if (at === null) return null;
  if (at < Date.parse(certificate.notBefore)) return "not yet valid";
  return at > Date.parse(certificate.notAfter) ? "expired" : "in date";
}

function row(certificate, document, scale, made, now, event) {
  const [title, words] = role(certificate, document);
  const [from, to] = [Date.parse(certificate.notBefore), Date.parse(certificate.notAfter)];
  const [then, today] = [validity(certificate, made), validity(certificate, now)];
  const isUsed = certificate.role !== "unused";
  const isInDate = then === null || then === "in date";
  const isFaulty = certificate.sha256Fingerprint === document.chain?.faulty;
  // Without a trusted root, dates mean nothing unless they are the failure.
  const isEvaluated = then !== null && isUsed && isTrusted(document);
  return h("li", { class: `certificate ${isUsed || !isTrusted(document) ? "" : "unused"} ${isFaulty ? "faulty" : ""}` },
    h("div", { class: "certificate-head" },
      h("span", { class: "link-mark" }, icon(isFaulty ? "fail" : isEvaluated ? "pass" : "skip", isFaulty ? "bad" : isEvaluated ? "good" : "")),
      h("div", {}, h("h4", {}, receiptText(certificate.commonName)),
        h("p", { class: "muted" }, h("strong", {}, title), " – ", words))),
    s("svg", { class: "bars", width: "100%", height: "30", role: "img",
      "aria-label": `In date from ${dayText(from)} to ${dayText(to)}` + (then ? `; ${then} when it was ${event}` : "") + `; ${today} now` },
    gridLines(scale, maxTicks()),
    s("rect", { class: isInDate || !isFaulty ? "bar-in-date" : "bar-invalid", x: `${scale.clip(from)}%`, y: "8", width: `${Math.max(0.3, scale.clip(to) - scale.clip(from))}%`, height: "14", rx: "3" },
      s("title", {}, `${dayText(from)} to ${dayText(to)}`)),
    marker(scale, made, "made"), marker(scale, now, "now")),
    h("p", { class: "validity" }, time(certificate.notBefore, "day"), " to ", time(certificate.notAfter, "day"),
      then && h("span", { class: `state ${isInDate ? "" : isFaulty ? "canceled" : "warn"}` }, `${then} when ${event}`),
      h("span", { class: "state" }, `${today} now`),
      h("span", { class: "muted" }, shown(certificate.key))),
    h("details", {}, h("summary", {}, "Names and fingerprint", h("span", { class: "unseen" }, ` of ${shown(certificate.commonName)}`)),
      h("dl", { class: "stack" }, [["Subject", receiptText(certificate.subject)], ["Issuer", receiptText(certificate.issuer)],
        ["Serial number", identifier(certificate.serialNumber, { label: "serial number" })], ["Valid", [time(certificate.notBefore), " to ", time(certificate.notAfter)]],
        ["SHA-256", identifier(certificate.sha256Fingerprint, { label: "fingerprint" })]]
        .map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))))));
}
