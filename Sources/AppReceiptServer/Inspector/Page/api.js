// Asking the server. What is asked and answered is kept in memory only, and so is the token.

import { count } from "./dom.js";
import { readJSON } from "./values.js";

let token = "";

export function setToken(value) {
  token = value.trim();
}

/** What went wrong, for people: `message`, what to do (`remedy`), and whether a token is asked for. */
export class RequestFailure extends Error {
  constructor(message, remedy, { needsToken = false, code = null } = {}) {
    super(message);
    this.remedy = remedy;
    this.needsToken = needsToken;
    this.code = code;
  }
}

/** The document on what is asked. Throws a RequestFailure, or an AbortError if `signal` is. */
export async function examine(request, signal) {
  const headers = { "Content-Type": "application/json", Accept: "application/json" };
  if (token) headers.Authorization = `Bearer ${token}`;
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
      "The server could not be reached, or closed the connection.",
      "See whether it is still running and whether this computer is connected, then try again.");
  }
  if (!response.ok) throw failure(response, body, sent);
  try {
    return readJSON(body);
  } catch {
    throw new RequestFailure(
      "The server's answer is not the JSON that this page expects.",
      "Reload the page: the server may have been updated, or something between it and you answers in its place.");
  }
}

function failure(response, body, sent) {
  let said = null;
  try {
    const error = JSON.parse(body).error;
    if (typeof error?.message === "string") said = error;
  } catch {
    // An answer of something else in between; its text is not shown.
  }
  const remedy = typeof said?.remedy === "string" ? said.remedy : null;
  const code = typeof said?.code === "string" ? said.code : null;
  const wait = Number(response.headers.get("Retry-After"));
  const later = wait > 0 ? `Try again in ${wait} ${wait === 1 ? "second" : "seconds"}.` : "Try again in a moment.";
  switch (response.status) {
    case 401:
      return new RequestFailure(
        token ? "The server did not accept this token." : "The server asks for a token.",
        "Enter the token with which the server was started. It is kept in this tab's memory only.",
        { needsToken: true, code });
    case 403:
      return new RequestFailure(
        said?.message ?? "The server does not allow this.",
        remedy ?? "Ask whoever runs the server.", { needsToken: true, code });
    case 404:
      return new RequestFailure(
        said?.message ?? "The server has no inspector at this address.",
        remedy ?? "Reload the page from the address that the server printed when it started.", { code });
    case 413:
      // Who knows the file's size would not find it beyond the limit: it is sent as base64.
      return new RequestFailure(
        code === "body-too-large" ? `${said.message} With the input as base64 it has ${count(new Blob([sent]).size, "byte")}.`
          : said?.message ?? "The input is larger than the server takes.",
        remedy ?? "Look at it with the command line: appreceipt validate FILE.", { code });
    case 429:
      return new RequestFailure(said?.message ?? "The server has been asked too often.", later, { code });
    case 503:
      return new RequestFailure(said?.message ?? "The server has too much to do, or is shutting down.", later, { code });
    default:
      return response.status < 500
        ? new RequestFailure(
          said?.message ?? `The server refused the request (HTTP status ${response.status}).`,
          remedy ?? "Reload the page and try again.", { code })
        : new RequestFailure(
          said?.message ?? `Something went wrong inside the server (HTTP status ${response.status}).`,
          remedy ?? "Try again; if it stays, look at the server's log.", { code });
  }
}
