// Creates elements. No function accepts markup: every text becomes a text node, so a receipt can't inject any.

import { written } from "./values.js";

const SVG = "http://www.w3.org/2000/svg";

/** An element with properties and children. `on…` are listeners; `class`, `aria-…`, `data-…` and the like attributes. */
export function h(name, properties = {}, ...children) {
  return fill(document.createElement(name), properties, children);
}

/** An SVG element with properties and children. */
export function s(name, properties = {}, ...children) {
  return fill(document.createElementNS(SVG, name), properties, children);
}

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "value" || name === "checked" || name === "selected" || name === "tabIndex") element[name] = value;
    else element.setAttribute(name, value === true ? "" : written(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children) {
    if (child === undefined || child === null || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : document.createTextNode(written(child)));
  }
}

export function replace(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** The result of `build`, or a notice if it fails, so that a failure doesn't affect other parts. */
export function part(build) {
  try {
    return build();
  } catch (error) {
    console.error(error);
    return h("p", { class: "notice bad part-failed" }, icon("warn"), h("span", {}, "This part can't be shown."));
  }
}

// Characters that are invisible or reorder the text around them.
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The maximum length of a displayed text. Longer ones take seconds to lay out. */
const MAX_SHOWN = 20_000;

/** A value as text with every character visible. */
export function shown(value) {
  const text = written(value);
  const rest = text.length > MAX_SHOWN ? `… (${count(text.length, "character")})` : "";
  return text.slice(0, MAX_SHOWN).replace(UNSEEN, (character) =>
    `\\u{${character.codePointAt(0).toString(16).padStart(4, "0")}}`) + rest;
}

/** A text from the input: isolated, with every character visible. */
export function receiptText(text, type = "span") {
  // Identifiers wrap after dots and before capitals.
  const visible = shown(text);
  const parts = visible.length > 12 && visible.length < 200 ? visible.split(/(?<=[^.\s]\.)(?=[^.\s])|(?<=[a-z])(?=[A-Z])/, 24) : [];
  const isIdentifier = parts.length > 1 && parts.join("").length === visible.length;
  return h(type, { class: "receipt-text" },
    isIdentifier ? parts.map((part, index) => [index > 0 && h("wbr"), part]) : visible);
}

const SHAPES = {
  pass: "M5 10.5l3.2 3.2L15 6.8",
  fail: "M6 6l8 8M14 6l-8 8",
  skip: "M6 10h8",
  warn: "M10 5.5v5.5M10 13.8v.4",
  copy: "M7 7V4.5h8.5V13H13M4.5 7H13v8.5H4.5z",
  file: "M5.5 3h6l3 3v11h-9zM11.5 3v3h3",
  open: "M7 5l5 5-5 5",
  sample: "M4 5h12M4 10h12M4 15h7",
};

/** A decorative drawing. */
export function icon(name, kind = "") {
  return s("svg", { class: `icon ${kind}`, viewBox: "0 0 20 20", "aria-hidden": "true", focusable: "false" },
    s("path", { d: SHAPES[name] ?? SHAPES.skip }));
}

// Times, in UTC or local time. The tooltip shows the other.

let usesLocalTime = false;

const pad = (number, width = 2) => `${number < 0 ? "−" : ""}${String(Math.abs(number)).padStart(width, "0")}`;

// A date with day, time and zone. Browsers parse other texts as dates too.
const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/;

/** The time that a number or text states, or null. */
export function milliseconds(text) {
  const value = typeof text === "number" ? text : typeof text === "string" && DATE.test(text) ? Date.parse(text) : NaN;
  return Number.isFinite(value) && Math.abs(value) <= 8.64e15 ? value : null;
}

function inUTC(date) {
  return `${pad(date.getUTCFullYear(), 4)}-${pad(date.getUTCMonth() + 1)}-${pad(date.getUTCDate())} `
    + `${pad(date.getUTCHours())}:${pad(date.getUTCMinutes())}:${pad(date.getUTCSeconds())} UTC`;
}

function inLocalTime(date) {
  const minutes = -date.getTimezoneOffset();
  const zone = `${minutes < 0 ? "−" : "+"}${pad(Math.floor(Math.abs(minutes) / 60))}:${pad(Math.abs(minutes) % 60)}`;
  return `${pad(date.getFullYear(), 4)}-${pad(date.getMonth() + 1)}-${pad(date.getDate())} `
    + `${pad(date.getHours())}:${pad(date.getMinutes())}:${pad(date.getSeconds())} ${zone}`;
}

/** A time as plain text, in the selected zone. */
export function timeText(value) {
  const time = milliseconds(value);
  if (time === null) return shown(value);
  const date = new Date(time);
  return usesLocalTime ? inLocalTime(date) : inUTC(date);
}

/** The day alone. */
export function dayText(value) {
  return shortened(timeText(value), "day");
}

// Years have any number of digits, so nothing is cut off at a fixed position.
function shortened(text, form) {
  if (form === "day") return text.split(" ", 1)[0];
  return form === "minute" ? text.replace(/^(\S+ \d\d:\d\d).*$/, "$1") : text;
}

/** An element that shows a time in the selected zone. */
export function time(value, form = "full") {
  const instant = milliseconds(value);
  if (instant === null) return receiptText(value ?? "");
  const element = h("time", { datetime: new Date(instant).toISOString(), "data-form": form });
  writeTime(element);
  return element;
}

function writeTime(element) {
  const date = new Date(element.getAttribute("datetime"));
  const [chosen, other] = usesLocalTime ? [inLocalTime(date), inUTC(date)] : [inUTC(date), inLocalTime(date)];
  element.title = other;
  const form = element.getAttribute("data-form");
  element.textContent = shortened(chosen, form);
}

const zoneListeners = new Set();

/** Calls a function when the zone changes, for drawings. */
export function whenZoneChanges(listener) {
  zoneListeners.add(listener);
  return () => zoneListeners.delete(listener);
}

export function useLocalTime(isLocal) {
  usesLocalTime = isLocal;
  for (const element of document.querySelectorAll("time")) writeTime(element);
  for (const listener of zoneListeners) listener();
}

/** The approximate time between two dates, in words. */
export function span(from, to) {
  const days = Math.abs(to - from) / 86_400_000;
  if (days >= 730) return `${Math.round(days / 365.25)} years`;
  if (days >= 60) return `${Math.round(days / 30.44)} months`;
  if (days >= 2) return `${Math.round(days)} days`;
  const hours = Math.round(days * 24);
  return hours >= 2 ? `${hours} hours` : `${Math.max(1, Math.round(days * 1440))} minutes`;
}

export function ago(value, now) {
  const [instant, reference] = [milliseconds(value), milliseconds(now)];
  if (instant === null || reference === null) return "";
  return instant <= reference ? `${span(instant, reference)} ago` : `in ${span(reference, instant)}`;
}

export function count(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

export function base64Bytes(text) {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index);
  return bytes;
}

export function bytesBase64(bytes) {
  if (typeof bytes.toBase64 === "function") return bytes.toBase64();
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  }
  return btoa(binary);
}

const HEX = Array.from({ length: 256 }, (_, value) => value.toString(16).padStart(2, "0"));

export function hexOf(bytes, from = 0, to = bytes.length) {
  let text = "";
  for (let index = from; index < to; index += 1) text += (index > from ? " " : "") + HEX[bytes[index]];
  return text;
}

export const hexByte = (value) => HEX[value];

// Announcements for screen readers.

export function announce(text) {
  document.getElementById("status").textContent = text;
}

/** A button that copies the text that `source` returns, and announces it. */
export function copyButton(label, source, properties = {}) {
  const words = h("span", {}, label);
  const button = h("button", { type: "button", class: "quiet", ...properties, onclick: async () => {
    let outcome = "Copied";
    try {
      await navigator.clipboard.writeText(await source());
    } catch {
      outcome = "The browser didn't allow it";
    }
    words.textContent = outcome;
    announce(outcome === "Copied" ? `${label}: copied.` : `${label}: ${outcome}.`);
    setTimeout(() => { words.textContent = label; }, 1600);
  } }, icon("copy"), words);
  return button;
}

/** Downloads a text as a file. */
export function download(name, text, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
