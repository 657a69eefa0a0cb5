// The checks: one line that counts them, which expands to every check with its evidence.

import { count, h, icon, part, prose, receiptText } from "./dom.js";
import { lookup } from "./values.js";
import { CHECK_TITLES } from "./words.js";

const OUTCOMES = { passed: ["pass", "Passed"], failed: ["fail", "Failed"], skipped: ["skip", "Skipped"] };

const SKIPPED = { "not-requested": "not requested", "not-applicable": "not applicable", "not-reached": "not possible" };

const title = (check) => lookup(CHECK_TITLES, check.name) ?? check.name;

/** The number of checks by result, such as “10 checks: 5 passed, 5 not requested”. */
export function outline(checks) {
  const numbers = new Map([["failed", 0], ["passed", 0]]);
  for (const check of checks) {
    const words = check.outcome === "skipped" ? lookup(SKIPPED, check.code) ?? "skipped" : check.outcome;
    numbers.set(words, (numbers.get(words) ?? 0) + 1);
  }
  return `${count(checks.length, "check")}: ${[...numbers].filter(([, number]) => number > 0).map(([words, number]) => `${number} ${words}`).join(", ")}`;
}

export function checksSection({ checks }) {
  const hasFailed = checks.some((check) => check.outcome === "failed");
  return h("section", { class: "card checks-section", "aria-labelledby": "checks-title" },
    h("h4", { id: "checks-title", class: "unseen" }, "Checks"),
    h("details", { class: "checks-details", open: hasFailed },
      h("summary", {}, h("span", { class: `mark ${hasFailed ? "failed" : "passed"}` }, icon(hasFailed ? "fail" : "pass")),
        h("span", { class: "checks-outline" }, outline(checks)), h("span", { class: "more" }, h("span", { class: "more-words" }, "Show each check"))),
      h("ol", { class: "checks" }, checks.map((check) => part(() => row(check))))));
}

function row(check) {
  const [shape, word] = lookup(OUTCOMES, check.outcome) ?? OUTCOMES.skipped;
  const evidence = check.evidence.filter((fact) => fact.found !== null || fact.expected !== null);
  return h("li", { class: `check ${check.outcome}`, "data-check": check.name },
    h("span", { class: "mark" }, icon(shape), h("span", { class: "unseen" }, `${word}: `)),
    h("div", { class: "check-body" },
      h("h5", {}, title(check)),
      h("p", {}, h("span", { class: "receipt-text" }, prose(check.message, "full")), check.outcome === "failed" && [" ", h("code", { class: "code" }, check.code)]),
      check.remedy && h("p", { class: "remedy" }, h("strong", {}, "What to do: "), check.remedy),
      evidence.length === 1 && check.outcome !== "failed" && evidence[0].expected === null
        ? h("p", { class: "found" }, `${evidence[0].name}: `, receiptText(evidence[0].found, "code"))
        : evidence.length > 0 && h("details", { open: check.outcome === "failed" },
          h("summary", {}, "Evidence", h("span", { class: "unseen" }, ` of ${title(check)}`)),
          evidenceTable(check, evidence))));
}

function evidenceTable(check, evidence) {
  const compares = evidence.some((fact) => fact.expected !== null);
  return h("div", { class: "scroll" }, h("table", { class: "evidence" },
    h("caption", { class: "unseen" }, `Evidence of ${title(check)}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Name"), h("th", { scope: "col" }, "Found"),
      compares && h("th", { scope: "col" }, "Expected"))),
    h("tbody", {}, evidence.map((fact) => h("tr", {}, h("th", { scope: "row" }, receiptText(fact.name)),
      h("td", {}, fact.found === null ? h("span", { class: "muted" }, "nothing") : receiptText(fact.found)),
      compares && h("td", {}, fact.expected === null ? h("span", { class: "muted" }, "anything") : receiptText(fact.expected)))))));
}
