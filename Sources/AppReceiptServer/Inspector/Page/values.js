// Values out of documents. What unproven data says is of any kind and has any name, so no value is made a text by its own
// `toString`, none is taken for what it only looks like, and no name finds what every object of a script inherits.

/** Whether it is a number that keeps the digits of its text; an object that has a member of that name is none. */
export const isRaw = (value) => value !== null && typeof value === "object" && JSON.isRawJSON?.(value) === true;

/** Whether it is an object of the document, with members. */
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !isRaw(value);

/** A value of a document as it was written; objects and lists as JSON. */
export function written(value) {
  if (isRaw(value)) return value.rawJSON;
  return value !== null && typeof value === "object" ? asJSON(value) : String(value);
}

/** A value as JSON, which tells a number from the text of its digits. */
export function asJSON(value) {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // Of a header that was not read by the server, whose depth nothing bounds.
    return "(too deep to be shown)";
  }
}

/** A number of a document, rounded to what a script can hold; null if it is none. */
export function numberOf(value) {
  const number = typeof value === "number" ? value : isRaw(value) ? Number(value.rawJSON) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** What a table has of its own under a name that a document states. */
export function lookup(table, name) {
  const key = written(name);
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** JSON in which numbers keep their digits: identifiers have more than a number of a script can hold. */
export function readJSON(text) {
  // Most documents have no such number, and are read many times as fast without looking at every value.
  if (!/[:[,]\s*-?\d(?:[\d.]{14,}|[\d.]*[eE][+-]?\d)/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name, value, context) => {
    if (typeof value !== "number" || !context?.source || String(value) === context.source) return value;
    return typeof JSON.rawJSON === "function" ? JSON.rawJSON(context.source) : context.source;
  });
}
