// The bytes of a token: its three segments decoded, with the members of the JSON and their offsets.

import { base64Bytes, count, h, milliseconds, replace, timeText } from "./dom.js";
import { structureView } from "./bytes.js";
import { text } from "./asn1.js";

const SEGMENTS = ["Header", "Payload", "Signature"];

export function tokenBytesPanel({ document, notice }) {
  const parts = document.token.split(".", 3);
  const place = h("div", { class: "segment-view" });
  const buttons = SEGMENTS.map((name, index) => h("button", {
    type: "button", "aria-pressed": "false", "data-segment": name.toLowerCase(), onclick: () => show(index),
  }, name));

  function show(index) {
    buttons.forEach((button, other) => button.setAttribute("aria-pressed", String(other === index)));
    const from = parts.slice(0, index).reduce((sum, part) => sum + part.length + 1, 0);
    const bytes = decoded(parts[index] ?? "");
    if (!bytes) {
      replace(place, h("p", { class: "empty" }, "This segment isn't base64url."));
      return;
    }
    const { content, start } = structureView(bytes, reader(bytes, index, from));
    replace(place, h("p", { class: "hint" }, `Characters ${from.toLocaleString("en")} to ${(from + parts[index].length).toLocaleString("en")} of the token, decoded from base64url: ${count(bytes.length, "byte")}. Offsets count from the start of the segment.`), content);
    requestAnimationFrame(start);
  }

  show(1);
  return [notice(), h("div", { class: "segments wide", role: "group", "aria-label": "Segment of the token" }, buttons), place];
}

function decoded(segment) {
  try {
    const base64 = segment.replaceAll("-", "+").replaceAll("_", "/");
    return base64Bytes(base64.padEnd(Math.ceil(base64.length / 4) * 4, "="));
  } catch {
    return null;
  }
}

function reader(bytes, index, from) {
  const place = (element) => `, characters ${from + Math.floor(element.start * 4 / 3)} to ${from + Math.ceil(element.end * 4 / 3)} of the token`;
  const isSignature = index === 2;
  return {
    label: isSignature ? "Parts of the signature" : "Members of the JSON",
    root: isSignature ? whole(bytes, "ES256 signature", bytes.length === 64) : valueAt(bytes, 0, bytes.length, "JSON"),
    children: (element) => (isSignature ? halves(element) : members(bytes, element)),
    name: (element) => element.name,
    describe: (element, maxLength) => (isSignature || element.isConstructed ? null : described(bytes, element, maxLength)),
    place,
    initial: (top, open) => { if (top.element.isConstructed) open(top); },
  };
}

// The signature: two numbers of 32 bytes (RFC 7518, 3.4).

const whole = (bytes, name, isConstructed) =>
  ({ start: 0, content: 0, contentEnd: bytes.length, end: bytes.length, name, isConstructed, tag: 0 });

function halves(element) {
  const half = (name, start) => ({ start, content: start, contentEnd: start + 32, end: start + 32, name, isConstructed: false, tag: 0 });
  return { elements: element.isConstructed ? [half("r", 0), half("s", 32)] : [], stoppedAt: null };
}

// JSON with offsets. The input is untrusted: every loop advances, and nothing recurses.

const MAX_MEMBERS = 50_000;
const [QUOTE, BACKSLASH, COMMA, COLON] = [0x22, 0x5c, 0x2c, 0x3a];
const isSpace = (byte) => byte === 0x20 || byte === 0x09 || byte === 0x0a || byte === 0x0d;
const opens = (byte) => byte === 0x7b || byte === 0x5b;
const closes = (byte) => byte === 0x7d || byte === 0x5d;

function skipSpace(bytes, at, end) {
  while (at < end && isSpace(bytes[at])) at += 1;
  return at;
}

/** The end of the string that begins at an offset, or null. */
function endOfString(bytes, at, end) {
  for (let index = at + 1; index < end; index += 1) {
    if (bytes[index] === BACKSLASH) index += 1;
    else if (bytes[index] === QUOTE) return index + 1;
  }
  return null;
}

/** The end of the value that begins at an offset, or null. */
function endOfValue(bytes, at, end) {
  if (at >= end) return null;
  if (bytes[at] === QUOTE) return endOfString(bytes, at, end);
  if (!opens(bytes[at])) {
    let index = at;
    while (index < end && bytes[index] !== COMMA && !closes(bytes[index]) && !isSpace(bytes[index])) index += 1;
    return index > at ? index : null;
  }
  let depth = 0;
  for (let index = at; index < end;) {
    if (bytes[index] === QUOTE) {
      const next = endOfString(bytes, index, end);
      if (next === null) return null;
      index = next;
      continue;
    }
    if (opens(bytes[index])) depth += 1;
    else if (closes(bytes[index])) depth -= 1;
    index += 1;
    if (depth === 0) return index;
  }
  return null;
}

function valueAt(bytes, from, end, name) {
  const start = skipSpace(bytes, from, end);
  const stop = endOfValue(bytes, start, end);
  if (stop === null) return { ...whole(bytes, "not JSON", false), tag: -1 };
  return { start, content: start, contentEnd: stop, end: stop, name, isConstructed: opens(bytes[start]), tag: 0 };
}

/** The members of an object or the values of a list. */
function members(bytes, element) {
  if (!element.isConstructed) return { elements: [], stoppedAt: null };
  const isObject = bytes[element.content] === 0x7b;
  const [elements, end] = [[], element.contentEnd - 1];
  let at = skipSpace(bytes, element.content + 1, end);
  while (at < end && elements.length < MAX_MEMBERS) {
    const start = at;
    let name = `[${elements.length}]`;
    if (isObject) {
      const stop = bytes[at] === QUOTE ? endOfString(bytes, at, end) : null;
      if (stop === null) return { elements, stoppedAt: start };
      name = text(bytes, at + 1, stop - 1) ?? "not UTF-8";
      at = skipSpace(bytes, stop, end);
      if (bytes[at] !== COLON) return { elements, stoppedAt: start };
      at = skipSpace(bytes, at + 1, end);
    }
    const stop = endOfValue(bytes, at, end);
    if (stop === null) return { elements, stoppedAt: start };
    elements.push({ start, content: at, contentEnd: stop, end: stop, name: name.slice(0, 80), isConstructed: opens(bytes[at]) && stop - at > 2, tag: 0 });
    at = skipSpace(bytes, stop, end);
    if (at < end && bytes[at] !== COMMA) return { elements, stoppedAt: at };
    at = skipSpace(bytes, at + 1, end);
  }
  return { elements, stoppedAt: null };
}

function described(bytes, element, maxLength) {
  const value = text(bytes, element.content, Math.min(element.contentEnd, element.content + maxLength));
  // A character may be cut in half.
  if (value === null) return `${count(element.contentEnd - element.content, "byte")}`;
  const date = /Date$/.test(element.name) && /^-?\d{1,16}$/.test(value) ? milliseconds(Number(value)) : null;
  return date === null ? value + (element.contentEnd - element.content > maxLength ? "…" : "") : `${value} · ${timeText(date)}`;
}
