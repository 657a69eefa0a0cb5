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
  return h(type, { class: "receipt-text" }, shown(text));
}

/** A link to where a failure is documented: the server has the document at the same place without its extension. */
export function see(documentation) {
  if (!documentation) return null;
  const [page, code] = documentation.split("#");
  return h("span", { class: "see" }, h("a", { href: `${page.replace(/\.md$/, "")}#${code ?? ""}`, target: "_blank", rel: "noopener" }, "What this error means"));
}

/** An identifier from the input, on one line, with a button that copies it. A long one ends in an ellipsis. */
export function identifier(text, { label = "identifier" } = {}) {
  const value = written(text);
  return h("span", { class: "identifier" }, h("span", { class: "receipt-text identifier-text", title: shown(value) }, h("bdi", { dir: "ltr" }, shown(value))),
    value !== "" && copyIcon(`Copy ${label} ${shown(value).slice(0, 80)}`, value));
}

/** A small button that copies a text, and announces it. */
function copyIcon(label, value) {
  const button = h("button", { type: "button", class: "copy", "aria-label": label, title: "Copy", onclick: async () => {
    const isCopied = await copied(value);
    button.classList.toggle("is-copied", isCopied);
    replace(button, icon(isCopied ? "pass" : "fail"));
    announce(isCopied ? "Copied." : "The browser didn't allow it.");
    setTimeout(() => {
      button.classList.remove("is-copied");
      replace(button, icon("copy"));
    }, 1600);
  } }, icon("copy"));
  return button;
}

/** A group that scrolls sideways if its content is too wide, with a hint that says so. */
export function scrolling(label, properties, ...content) {
  const hint = h("p", { class: "scroll-hint", hidden: true, "aria-hidden": "true" }, "Scroll sideways for more ", icon("open"));
  const group = h("div", { ...properties, class: `scroll ${properties.class ?? ""}`, role: "group", "aria-label": label, tabindex: "0" }, content);
  const observer = new ResizeObserver(() => {
    const isWide = group.scrollWidth > group.clientWidth + 1;
    hint.hidden = !isWide;
    group.classList.toggle("is-wide", isWide);
  });
  observer.observe(group);
  if (group.firstElementChild) observer.observe(group.firstElementChild);
  return [hint, group];
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
  info: "M10 9v5M10 6.2v.4",
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

/** A sentence of the server, in which dates become times in the selected zone. */
export function prose(text, form = "minute") {
  return shown(text).split(/(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z)/).map((part, index) =>
    (index % 2 === 1 ? time(part, form) : part));
}

/** A sentence of the server as text for others, in which times name their zone: UTC. */
export const withPlainDates = (text) => written(text).replace(/(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(?:\.\d+)?Z/g, "$1 $2 UTC");

/** A text of the input or the server, in which dates stay on one line. */
export function withDays(text) {
  return h("span", { class: "receipt-text" }, shown(text).split(/(\d{4}-\d\d-\d\d(?:T[\d:.]+Z)?)/).map((part, index) => (index % 2 === 1 ? h("span", { class: "whole" }, part) : part)));
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

/** The time between two dates in words. Incomplete units don't count, as in ages. */
export function span(from, to) {
  const [start, end] = from <= to ? [from, to] : [to, from];
  const days = Math.floor((end - start) / 86_400_000);
  if (days >= 60) {
    const months = monthsBetween(new Date(start), new Date(end));
    const [years, rest] = [Math.floor(months / 12), months % 12];
    if (years === 0) return count(months, "month");
    return rest > 0 && years < 10 ? `${count(years, "year")} ${count(rest, "month")}` : count(years, "year");
  }
  if (days >= 2) return count(days, "day");
  const hours = Math.floor((end - start) / 3_600_000);
  if (hours >= 2) return count(hours, "hour");
  return count(Math.floor((end - start) / 60_000), "minute");
}

/** The number of complete months between two dates, in UTC. */
function monthsBetween(from, to) {
  const months = (to.getUTCFullYear() - from.getUTCFullYear()) * 12 + to.getUTCMonth() - from.getUTCMonth();
  const within = (date) => date.getUTCDate() * 86_400_000 + (date.getTime() % 86_400_000 + 86_400_000) % 86_400_000;
  return within(to) < within(from) ? months - 1 : months;
}

export function ago(value, now) {
  const [instant, reference] = [milliseconds(value), milliseconds(now)];
  if (instant === null || reference === null) return "";
  // What the App Store signs for a request is newer than the request.
  if (Math.abs(instant - reference) < 60_000) return "now";
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

/** Copies a text, or the text that a function returns. Returns whether the browser allowed it. */
async function copied(source) {
  try {
    await navigator.clipboard.writeText(typeof source === "function" ? await source() : source);
    return true;
  } catch {
    return false;
  }
}

/** A button that copies the text that `source` returns, and announces it. */
export function copyButton(label, source, properties = {}) {
  const words = h("span", { class: "words" }, label);
  const button = h("button", { type: "button", class: "quiet", ...properties, onclick: async () => {
    const outcome = (await copied(source)) ? "Copied" : "The browser didn't allow it";
    words.textContent = outcome;
    announce(outcome === "Copied" ? `${label}: copied.` : `${label}: ${outcome}.`);
    setTimeout(() => { words.textContent = label; }, 1600);
  } }, icon("copy"), words);
  return button;
}

/** A sentence to send, with a button that copies exactly what is shown. `subject` tells sentences with the same label apart. */
export function toSend(label, sentence, subject) {
  const words = withPlainDates(sentence);
  return h("div", { class: "to-send" }, h("span", { class: "to-send-label" }, label), h("p", {}, withDays(words)),
    copyButton("Copy", () => words, { class: "quiet small", "aria-label": `Copy the sentence ${label.toLowerCase()}${subject ? ` about ${shown(subject).slice(0, 80)}` : ""}` }));
}

/** Downloads a text as a file. */
export function download(name, text, type) {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
