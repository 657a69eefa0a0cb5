// Requests to the server. Requests and responses are kept in memory only, the token for the session of the tab.

import { count } from "./dom.js";
import { lookup, readJSON, written } from "./values.js";
import { READ_AGAIN, REQUEST_FAILURES } from "./words.js";

const TOKEN = "token";

let token = stored();
/** A token that was entered and that the server hasn't accepted or rejected yet. It replaces the other when it is accepted. */
let entered = "";

function stored() {
  try {
    return sessionStorage.getItem(TOKEN) ?? "";
  } catch {
    // The browser's settings may forbid it.
    return "";
  }
}

export function enterToken(value) {
  entered = value.trim();
}

/** Whether there is a token, which requests contain. */
export const hasToken = () => (entered || token) !== "";

/** Forgets the token, also for the session of the tab. */
export function forgetToken() {
  [token, entered] = ["", ""];
  try {
    sessionStorage.removeItem(TOKEN);
  } catch {
    // It was in memory only.
  }
}

/** Whether a text is the token, which isn't shown. */
export const isToken = (text) => text !== "" && (text === token || text === entered);

/** Keeps the token that the server accepted. */
function keepToken(accepted) {
  token = accepted;
  if (entered === accepted) entered = "";
  try {
    sessionStorage.setItem(TOKEN, token);
  } catch {
    // It is kept in memory.
  }
}

/**
 * A failed request: the message, the remedy, where it is documented, a sentence for the customer, what can be searched
 * instead, what else the input contains, and whether a token is required. Without a remedy, it is what follows the first sentence of the message.
 */
export class RequestFailure extends Error {
  constructor(message, remedy, { needsToken = false, code = null, documentation = null, candidates = [], hasDamagedItem = false, claimed = null } = {}) {
    const [, first, rest] = (!remedy && /^(.+?[.!?])\s+(\S.*)$/s.exec(message)) || [null, message, null];
    super(first);
    this.remedy = remedy ?? rest;
    // Without a result, the whole receipt helps more than another one.
    this.customer = (hasDamagedItem && code === "customer-unknown" ? READ_AGAIN.customer : lookup(REQUEST_FAILURES, code)) ?? null;
    this.needsToken = needsToken;
    this.code = code;
    this.documentation = documentation;
    this.candidates = candidates;
    this.hasDamagedItem = hasDamagedItem;
    this.claimed = claimed;
  }
}

/**
 * Returns the document for an input. `name` is shown as the input's name and isn't sent.
 * Throws a RequestFailure, or an AbortError if `signal` is aborted.
 */
export async function examine({ name, ...request }, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  const used = entered || token;
  if (used) headers.Authorization = `Bearer ${used}`;
  const sent = JSON.stringify(request);
  let response;
  let body;
  try {
    response = await fetch("v1/inspector/examine", {
      method: "POST", headers, body: sent, signal, credentials: "same-origin", cache: "no-store",
      referrerPolicy: "no-referrer",
    });
    body = await response.text();
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new RequestFailure(
      "The server can't be reached, or closed the connection.",
      "Check that it is running and that this computer is connected, then try again.");
  }
  if (!response.ok) {
    // A token that the server rejects doesn't replace one that it accepted.
    const rejected = failure(response, body, { sent, hasToken: used !== "" });
    if (rejected.needsToken && entered === used) entered = "";
    // An error of the server itself: it has accepted the token.
    if (!rejected.needsToken && rejected.code && used) keepToken(used);
    throw rejected;
  }
  if (used) keepToken(used);
  try {
    const document = readJSON(body);
    // A search in the input has the name of what was found.
    if (name && document.kind !== "customer") document.input.name = name;
    return document;
  } catch {
    throw new RequestFailure(
      "The server's response isn't the JSON that this page expects.",
      "Reload the page. The server may have been updated, or a proxy may have replaced its response.");
  }
}

function failure(response, body, { sent, hasToken: hadToken }) {
  let reported = null;
  try {
    const error = JSON.parse(body).error;
    if (typeof error?.message === "string") reported = error;
  } catch {
    // The response of a proxy. Its text isn't shown.
  }
  const text = (name) => (typeof reported?.[name] === "string" ? reported[name] : null);
  const [code, documentation] = [text("code"), text("documentation")];
  const candidates = Array.isArray(reported?.candidates) ? reported.candidates.map(written) : [];
  const searched = { code, documentation, candidates, hasDamagedItem: reported?.hasDamagedItem === true, claimed: reported?.claimed ?? null };
  const wait = Number(response.headers.get("Retry-After"));
  const later = wait > 0 ? `Try again in ${wait} ${wait === 1 ? "second" : "seconds"}.` : "Try again in a moment.";
  switch (response.status) {
    case 401:
      return new RequestFailure(
        hadToken ? "The server rejected this token." : "The server requires a token.",
        "Enter the server's token. It is kept until this tab is closed.",
        { needsToken: true, code, documentation });
    case 403:
      return new RequestFailure(
        reported?.message ?? "The server doesn't allow this request.",
        reported ? null : "Ask the operator of the server.", { needsToken: true, code, documentation });
    case 404:
      return new RequestFailure(
        reported?.message ?? "The server has no inspector at this address.",
        reported ? null : "Reload the page from the address that the server printed when it started.", searched);
    case 413:
      // The file itself may be within the limit, because base64 is a third larger.
      return new RequestFailure(
        code === "body-too-large" ? `${reported.message} The size of the input in base64 is ${count(new Blob([sent]).size, "byte")}.`
          : reported?.message ?? "The input is larger than the server accepts.",
        "Check a smaller input, or raise the server's limit (max-body).", { code, documentation });
    case 429:
      return new RequestFailure(reported?.message ?? "Too many requests.", later, { code, documentation });
    case 503:
      return new RequestFailure(reported?.message ?? "The server is overloaded or shutting down.", later, { code, documentation });
    default:
      return response.status < 500
        ? new RequestFailure(
          reported?.message ?? `The server rejected the request (HTTP status ${response.status}).`,
          reported ? null : "Reload the page and try again.", { code, documentation })
        : new RequestFailure(
          reported?.message ?? `The server failed (HTTP status ${response.status}).`,
          // A second sentence of the message is the remedy.
          /[.!?]\s/.test(reported?.message ?? "") ? null : "Try again. If it fails again, see the server's log.", searched);
  }
}
