// The checks: one line that counts them, which expands to every check with its evidence.

import { count, h, icon, part, prose, receiptText, scrolling, see, withDays } from "./dom.js";
import { lookup } from "./values.js";
import { CHECK_TITLES, READING_CHECKS } from "./words.js";

const OUTCOMES = { passed: ["pass", "Passed"], failed: ["fail", "Failed"], skipped: ["skip", "Skipped"] };

const SKIPPED = { "not-requested": "not requested", "not-applicable": "not applicable", "not-reached": "not possible" };

const title = (check) => lookup(CHECK_TITLES, check.name) ?? check.name;

/** The number of checks by result, such as “10 checks: 5 passed, 5 not requested”. */
function outline(checks) {
  const numbers = new Map([["failed", 0], ["passed", 0]]);
  for (const check of checks) {
    const words = check.outcome === "skipped" ? lookup(SKIPPED, check.code) ?? "skipped" : check.outcome;
    numbers.set(words, (numbers.get(words) ?? 0) + 1);
  }
  return `${count(checks.length, "check")}: ${[...numbers].filter(([, number]) => number > 0).map(([words, number]) => `${number} ${words}`).join(", ")}`;
}

export function checksSection({ checks, failure }) {
  return h("section", { class: "card checks-section", "aria-labelledby": "checks-title" },
    h("h4", { id: "checks-title", class: "unseen" }, "Checks"), listed(checks, failure));
}

/** The reason of a failure for developers, and the checks. Support doesn't need them if the input can't be read. */
export function technicalSection({ checks, failure, claimed }, notes) {
  return h("section", { class: "card checks-section technical", "aria-labelledby": "technical-title" },
    h("details", { open: !READING_CHECKS.has(failure?.check) },
      h("summary", {}, h("h4", { id: "technical-title" }, "Technical details")),
      h("p", { class: "reason" }, receiptText(failure?.message ?? "The input can't be read."), failure?.code && [" ", h("code", { class: "code" }, failure.code)]),
      failure?.remedy && h("p", { class: "remedy" }, h("strong", {}, "For developers: "), failure.remedy, " ", see(failure.documentation)),
      notes.map((words) => h("p", { class: "remedy" }, words)),
      checks && listed(checks, failure)));
}

function listed(checks, failure) {
  const failed = checks.filter((check) => check.outcome === "failed");
  const others = checks.filter((check) => check.outcome !== "failed");
  const line = (hasFailed, words) => [h("span", { class: `mark ${hasFailed ? "failed" : "passed"}` }, icon(hasFailed ? "fail" : "pass")), h("span", { class: "checks-outline" }, words)];
  const list = (some) => h("ol", { class: "checks" }, some.map((check) => part(() => row(check, failure))));
  const folded = (summary, words) => h("details", { class: "checks-details" },
    h("summary", {}, summary, h("span", { class: "more" }, h("span", { class: "more-words" }, words), h("span", { class: "chevron" }))), list(others));
  return failed.length === 0 ? folded(line(false, outline(checks)), "Show each check")
    : [h("p", { class: "checks-head" }, line(true, outline(checks))), list(failed),
      others.length > 0 && folded(h("span", {}, `${count(others.length, "other check")}, not failed`), "Show")];
}

/** A check. The answer contains the code of the first failure, and what to do. */
function row(check, failure) {
  const [shape, word] = lookup(OUTCOMES, check.outcome) ?? OUTCOMES.skipped;
  const evidence = check.evidence.filter((fact) => fact.found !== null || fact.expected !== null);
  return h("li", { class: `check ${check.outcome}`, "data-check": check.name },
    h("span", { class: "mark" }, icon(shape), h("span", { class: "unseen" }, `${word}: `)),
    h("div", { class: "check-body" },
      h("h5", {}, title(check)),
      h("p", {}, h("span", { class: "receipt-text" }, prose(check.message, "full")), check.outcome === "failed" && check.name !== failure?.check && [" ", h("code", { class: "code" }, check.code)]),
      check.remedy && check.name !== failure?.check && h("p", { class: "remedy" }, h("strong", {}, "What to do: "), check.remedy, " ", see(check.documentation)),
      evidence.length === 1 && check.outcome !== "failed" && evidence[0].expected === null
        ? h("p", { class: "found" }, `${evidence[0].name}: `, receiptText(evidence[0].found, "code"))
        : evidence.length > 0 && h("details", { open: check.outcome === "failed" },
          h("summary", {}, "Evidence", h("span", { class: "unseen" }, ` of ${title(check)}`)),
          evidenceTable(check, evidence))));
}

function evidenceTable(check, evidence) {
  const compares = evidence.some((fact) => fact.expected !== null);
  return scrolling(`Evidence of ${title(check)}`, {}, h("table", { class: "evidence" },
    h("caption", { class: "unseen" }, `Evidence of ${title(check)}`),
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Name"), h("th", { scope: "col" }, "Found"),
      compares && h("th", { scope: "col" }, "Expected"))),
    h("tbody", {}, evidence.map((fact) => h("tr", {}, h("th", { scope: "row" }, receiptText(fact.name)),
      h("td", {}, fact.found === null ? h("span", { class: "muted" }, "nothing") : withDays(fact.found)),
      compares && h("td", {}, fact.expected === null ? h("span", { class: "muted" }, "anything") : withDays(fact.expected)))))));
}
