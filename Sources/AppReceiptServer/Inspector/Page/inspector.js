// The page: the form, the request, and the report on the response.

import { announce, bytesBase64, count, h, icon, part, receiptText, replace, see, shown, toSend, useLocalTime } from "./dom.js";
import { readAddress, writeAddress } from "./address.js";
import { enterToken, examine, forgetToken, hasToken, isToken, RequestFailure } from "./api.js";
import { dropped, picked } from "./files.js";
import { SAMPLES } from "./samples.js";
import { besides } from "./answer.js";
import { report } from "./report.js";

const element = (id) => document.getElementById(id);

const MAX_IN_FIELD = 100_000;

/** The length of the longest account or identifier. Longer text is an input, not a search. */
const MAX_SEARCH = 256;

/** The dropped or picked file, `{name, bytes}`; null while the text field is the input. */
let attached = null;
/** The identifier of the sample that is the input, or null. */
let sample = null;
/** What is searched instead of an input, or null. */
let searched = null;
let running = null;
/** The input of the result that is shown, or null. */
let shownFrom = null;
/** What the bar says about it. */
let shownWords = null;
/** The search that the address names, or null. */
let addressed = null;
/** The panel of the result that is shown, and the one that the address names for the next result. */
let shownTab = null;
let requestedTab = null;

// The request.

function expectations() {
  const expected = {};
  const text = (id, member) => {
    const value = element(id).value.trim();
    if (value) expected[member] = value;
  };
  text("bundle", "bundle-id");
  text("version", "app-version");
  text("original-version", "original-app-version");
  const environments = [...document.querySelectorAll("input[name=environment]:checked")].map((box) => box.value);
  if (environments.length > 0) expected.environment = environments;
  const devices = element("device").value.split(/[\s,]+/).filter(Boolean);
  if (devices.length > 0) expected["device-id"] = devices;
  return expected;
}

function source() {
  if (searched) return { search: searched };
  if (sample) return { sample };
  if (attached) return { input: bytesBase64(attached.bytes), name: attached.name };
  const text = element("text").value;
  return text.trim() ? { input: bytesBase64(new TextEncoder().encode(text)) } : null;
}

/** Everything that a result depends on, for comparison. A picked file is compared by identity. */
function inputs() {
  const isText = !searched && !sample && !attached;
  return { searched, sample, attached, text: isText ? element("text").value.trim() : "", expected: searched ? "" : JSON.stringify(expectations()) };
}

function isSame(one, other) {
  return Object.keys(one).every((name) => one[name] === other[name]);
}

// A result must not be shown unmarked next to a different input.

const STALE = "The input has changed. Check again.";
const GONE = "The input was removed. This is its result.";

/** Marks the result as stale if the input has changed, and announces it. */
function markStale() {
  // The check in progress will replace the result.
  if (running) return;
  const isStale = shownFrom !== null && !isSame(shownFrom, inputs());
  const wasStale = !element("stale").hidden;
  if (isStale !== wasStale || (isStale && (source() === null) !== (element("stale").dataset.empty === "true"))) {
    setStale(isStale);
    announce(isStale ? staleWords() : "The result belongs to this input again.");
  }
}

const staleWords = () => (source() === null ? GONE : STALE);

function setStale(isStale) {
  element("report").classList.toggle("is-stale", isStale);
  element("stale").hidden = !isStale;
  const isEmpty = source() === null;
  element("stale").dataset.empty = String(isEmpty);
  replace(element("stale"), isStale && [icon("warn"), h("span", {}, staleWords()),
    !isEmpty && h("button", { type: "submit", form: "form", class: "small" }, "Check again")]);
}

async function check({ movesFocus = true } = {}) {
  const input = source();
  if (!input) {
    fail(new RequestFailure("There is no input to check.", "Paste a receipt, choose a file, or try one of the samples."));
    element("text").focus();
    return;
  }
  // The session's token stays until another one is entered.
  if (element("token").value.trim()) enterToken(element("token").value);
  // A search has no input to compare with anything.
  const expected = searched ? {} : expectations();
  rememberSearch();
  const from = inputs();
  const words = describedInput();
  running?.abort();
  const controller = new AbortController();
  running = controller;
  setBusy(true);
  try {
    const document = await examine({ ...input, ...expected }, controller.signal);
    if (running !== controller) return;
    if (document.kind !== "customer") words.compared = comparedWith(expected, document);
    document.input.title = words.name;
    document.input.compared = words.compared;
    words.bytes = document.input.bytes;
    // Later requests of the report use the same input, or one to compare with, and the same expectations.
    const ask = (other = input, more = {}) => examine({ ...other, ...expected, ...more });
    const isSameInput = shownFrom !== null && isSame({ ...shownFrom, expected: "" }, { ...from, expected: "" });
    shownTab = requestedTab ?? (isSameInput ? shownTab : null);
    requestedTab = null;
    show(document, ask, movesFocus);
    [shownFrom, shownWords] = [from, words];
    rememberAddress();
    collapse();
    // The form's button may have been further down than the result is now.
    element("bar").scrollIntoView({ block: "nearest" });
    hideToken();
    showSignOut();
  } catch (error) {
    if (error.name === "AbortError" || running !== controller) return;
    fail(error instanceof RequestFailure
      ? error : new RequestFailure("This page can't show the response.", "Reload it and try again."));
    if (!(error instanceof RequestFailure)) console.error(error);
  } finally {
    if (running === controller) {
      running = null;
      setBusy(false);
      markStale();
    }
  }
}

function setBusy(isBusy) {
  element("progress").hidden = !isBusy;
  element("result").setAttribute("aria-busy", String(isBusy));
  element("check").textContent = isBusy ? "Checking…" : "Check";
  if (isBusy) announce("Checking…");
}

// The result.

function show(document, ask, movesFocus) {
  replace(element("failure"));
  replace(element("search-failure"));
  element("welcome").hidden = true;
  const place = element("report");
  place.hidden = false;
  const { content, title, words, summary, name } = report(document, ask, { find, tab: shownTab, ontab: (tab) => {
    shownTab = tab;
    rememberAddress();
  } });
  replace(place, content);
  setStale(false);
  announce(summary);
  window.document.title = `${name}: ${words} – ${TITLE}`;
  if (movesFocus) title.focus({ preventScroll: true });
}

const TITLE = document.title;

function showWelcome() {
  document.title = TITLE;
  element("welcome").hidden = false;
  reveal();
}

// The form collapses to a bar above the result, so that the result has the whole width.

/** The name of the input, for the bar and the title. */
function titleOfInput() {
  if (searched) return searched;
  if (sample) return SAMPLES.find(([id]) => id === sample)?.[1] ?? sample;
  return attached?.name ?? "Pasted text";
}

/** What the input was compared with: the options of the form, and what the server serves. */
function comparedWith(expected, { checks = [] }) {
  const isOpen = (name) => checks.some((check) => check.name === name && check.code === "not-requested");
  const words = [expected["bundle-id"], expected["app-version"] && `version ${expected["app-version"]}`,
    expected["original-app-version"] && `original version ${expected["original-app-version"]}`,
    expected.environment?.join(" or "), expected["device-id"] && count(expected["device-id"].length, "device")].filter(Boolean);
  // A device is compared only if somebody names one.
  const rest = [isOpen("bundle-identifier") && "app", isOpen("environment") && "environment"].filter(Boolean).join(" or ");
  if (words.length === 0) return rest ? `Checked against no ${rest}` : "Checked against what this server serves";
  return `Checked against ${shown(words.join(", "))}${rest && `; no ${rest}`}`;
}

/** What the bar says about the input. */
const describedInput = () => ({ name: titleOfInput(), isSample: sample !== null, compared: "From what this server knows" });

function collapse() {
  const { name, isSample, bytes, compared } = shownWords;
  replace(element("bar"), icon("file"),
    h("span", { class: "bar-words" }, h("strong", { class: "bar-name" }, receiptText(name)), " ",
      bytes !== undefined && h("span", { class: "muted bar-size" }, isSample && "sample, ", part(() => count(bytes, "byte")))),
    h("span", { class: "muted bar-compared" }, compared),
    h("span", { class: "bar-buttons" }, h("button", { type: "button", id: "change", class: "small", onclick: change }, "Change"),
      h("button", { type: "button", id: "clear-bar", class: "small quiet", onclick: clear }, "Clear")));
  element("bar").hidden = false;
  element("input").hidden = true;
  element("main").classList.add("is-collapsed");
}

/** Opens the form next to the result. */
function change() {
  reveal();
  element("close").hidden = false;
  element(searched ? "search" : "text").focus();
  if (searched) element("search").select();
}

function reveal() {
  element("bar").hidden = true;
  element("input").hidden = false;
  element("close").hidden = true;
  element("main").classList.remove("is-collapsed");
}

// The address keeps the search, the panel and the options, never a receipt or the token. A device identifier is personal and
// isn't kept either.

function rememberAddress({ isNew = false } = {}) {
  const { "device-id": _, ...options } = expectations();
  writeAddress({ search: addressed, tab: requestedTab ?? shownTab, options, isNew });
}

/** Gives each customer that is searched an entry in the browser's history. */
function rememberSearch() {
  const search = searched && !isToken(searched) ? searched : null;
  if (search === addressed) return;
  addressed = search;
  // The panel that the address named was for the search in it.
  [shownTab, requestedTab] = [null, null];
  rememberAddress({ isNew: true });
}

function restoreAddress() {
  const { search, tab, options } = readAddress();
  requestedTab = tab;
  for (const [id, member] of [["bundle", "bundle-id"], ["version", "app-version"], ["original-version", "original-app-version"]]) {
    element(id).value = options[member]?.[0] ?? "";
  }
  for (const box of document.querySelectorAll("input[name=environment]")) box.checked = options.environment?.includes(box.value) ?? false;
  if (search === addressed) return markStale();
  addressed = search;
  if (search) find(search);
  else reset();
}

function fail(failure) {
  shownFrom = null;
  setStale(false);
  element("report").hidden = true;
  replace(element("report"));
  showWelcome();
  const title = h("h3", { tabindex: "-1" }, failure.message);
  const { remedy, documentation, customer, candidates } = failure;
  const more = besides(failure);
  const ticket = customer && `Looked up ${searched ? `“${shown(searched)}”` : "the message"} on ${new Date().toISOString().slice(0, 10)}: ${failure.message}${candidates.length > 0 ? ` ${candidates.map(shown).join(", ")}.` : ""}${more.map((words) => ` ${words}`).join("")}`;
  // Where the search is, if it was one: the form is longer than a telephone's screen.
  const place = element(searched ? "search-failure" : "failure");
  replace(element("failure"));
  replace(element("search-failure"));
  replace(place, h("div", { class: `notice ${customer ? "warn" : "bad"} problem` }, icon("warn"), h("div", {},
    title, (remedy || documentation) && h("p", {}, customer && remedy && h("strong", {}, "What to do: "), remedy, " ", see(documentation)),
    more.map((words) => h("p", {}, words)),
    candidates.length > 0 && h("p", { class: "row" }, candidates.map((text) => h("button", { type: "button", class: "small", onclick: () => find(text) }, shown(text)))),
    customer && toSend("For the customer", customer), ticket && toSend("For the ticket", ticket))));
  announce(`${failure.message} ${failure.remedy ?? ""}`);
  showSignOut();
  if (failure.needsToken) {
    element("token-hint").textContent = failure.message;
    element("token-row").hidden = false;
    // What was rejected isn't sent again.
    element("token").value = "";
    element("token-row").scrollIntoView({ block: "center" });
    element("token").focus({ preventScroll: true });
  } else {
    if (failure.code) hideToken();
    title.focus({ preventScroll: true });
    place.scrollIntoView({ block: "nearest" });
  }
}

function showSignOut() {
  element("sign-out").hidden = !hasToken();
}

/** Hides the field of the token, which the server has accepted. */
function hideToken() {
  element("token-row").hidden = true;
  element("token").value = "";
}

/** Forgets the token, and what it showed. */
function signOut() {
  forgetToken();
  element("token-row").hidden = true;
  showSignOut();
  clear();
  announce("Signed out. The token is forgotten.");
}

// The input.

function attach(input) {
  forget();
  if (input.text !== undefined && input.text.length > MAX_IN_FIELD) {
    attached = { name: "Dropped text", bytes: new TextEncoder().encode(input.text) };
    element("text").value = "";
  } else if (input.text !== undefined) {
    element("text").value = input.text;
  } else {
    attached = input;
    element("text").value = "";
  }
  showAttached();
  check();
}

/** Forgets the other kinds of input. */
function forget() {
  attached = null;
  sample = null;
  searched = null;
  element("search").value = "";
}

/** Finds a customer by an account, a transaction or an order number. */
export function find(text) {
  if (text.length > MAX_SEARCH) return attach({ text });
  forget();
  element("text").value = "";
  showAttached();
  searched = text.trim() || null;
  element("search").value = text;
  if (searched) check();
  else element("search").focus();
}

function showAttached() {
  const place = element("attached");
  const shows = attached !== null || sample !== null;
  place.hidden = !shows;
  if (!shows) return;
  const name = sample ? `${SAMPLES.find(([id]) => id === sample)?.[1] ?? sample} (sample)` : attached.name;
  replace(place, icon("file"),
    h("span", { class: "attached-name" }, receiptText(name), attached && h("span", { class: "muted" }, count(attached.bytes.length, "byte"))),
    h("button", { type: "button", class: "quiet", "aria-label": `Remove ${name}`, onclick: () => {
      attached = null;
      sample = null;
      showAttached();
      markStale();
      element("text").focus();
    } }, "Remove"));
}

async function take(reading) {
  try {
    const input = await reading;
    if (input) attach(input);
  } catch (error) {
    fail(new RequestFailure(error.message, "Choose another file."));
  }
}

/** Removes the input and its result. */
function reset() {
  running?.abort();
  shownFrom = null;
  setStale(false);
  forget();
  showAttached();
  replace(element("failure"));
  replace(element("search-failure"));
  replace(element("report")).hidden = true;
  showWelcome();
}

function clear() {
  element("form").reset();
  reset();
  [shownTab, requestedTab] = [null, null];
  const isNew = addressed !== null;
  addressed = null;
  rememberAddress({ isNew });
  announce("Cleared.");
  element("text").focus();
}

function wireForm() {
  element("find").addEventListener("submit", (event) => {
    event.preventDefault();
    find(element("search").value);
  });
  element("search").addEventListener("input", () => {
    // Without another input, "Check" is about the search.
    if (attached || sample || element("text").value.trim()) return;
    const value = element("search").value.trim();
    searched = value && value.length <= MAX_SEARCH ? value : null;
    markStale();
  });
  element("form").addEventListener("submit", (event) => {
    event.preventDefault();
    check();
  });
  // After the fields' own listeners.
  element("form").addEventListener("input", () => {
    markStale();
    rememberAddress();
  });
  element("close").addEventListener("click", () => {
    collapse();
    element("change").focus();
  });
  element("clear").addEventListener("click", clear);
  element("sign-out").addEventListener("click", signOut);
  const text = element("text");
  text.addEventListener("input", () => {
    if (attached || sample || searched) {
      forget();
      showAttached();
    }
  });
  text.addEventListener("paste", (event) => {
    const pasted = event.clipboardData?.getData("text/plain") ?? "";
    // A text field takes seconds to lay out a megabyte.
    if (pasted.length > MAX_IN_FIELD) {
      event.preventDefault();
      attach({ name: "Pasted text", bytes: new TextEncoder().encode(pasted) });
    } else setTimeout(() => { if (text.value.trim()) check(); });
  });
  text.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) {
      event.preventDefault();
      check();
    }
  });
  for (const id of ["file", "folder"]) {
    element(id).addEventListener("change", (event) => {
      const files = [...event.target.files];
      event.target.value = "";
      take(picked(files));
    });
  }
}

function wireDropping() {
  // Accepted anywhere on the page, because the browser would otherwise open a file that is dropped outside the field.
  let depth = 0;
  const mark = (isOver) => document.body.classList.toggle("is-over", isOver);
  document.addEventListener("dragenter", (event) => {
    event.preventDefault();
    depth += 1;
    mark(true);
  });
  document.addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) mark(false);
  });
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    mark(false);
    if (event.detail === "taken" || event.target.closest?.("[data-drop=own]")) return;
    take(dropped(event.dataTransfer));
  });
}

function wireZone() {
  const buttons = [[element("zone-utc"), false], [element("zone-local"), true]];
  for (const [button, isLocal] of buttons) {
    button.addEventListener("click", () => {
      for (const [other, value] of buttons) other.setAttribute("aria-pressed", String(value === isLocal));
      useLocalTime(isLocal);
    });
  }
}

function listSamples() {
  replace(element("samples"), SAMPLES.map(([id, title, words]) => h("li", {},
    h("button", { type: "button", "data-sample": id, onclick: () => {
      forget();
      sample = id;
      element("text").value = "";
      showAttached();
      check();
    } }, h("span", { class: "sample-title" }, title), h("span", { class: "sample-words" }, words)))));
}

function wireAddress() {
  restoreAddress();
  window.addEventListener("hashchange", () => {
    // The link to the result replaces the address's options.
    if (location.hash === "#result") rememberAddress();
    else restoreAddress();
  });
}

wireForm();
wireDropping();
wireZone();
listSamples();
showSignOut();
wireAddress();
