// Reads values of documents. Unproven data can have any type and name, so values are never converted by their own `toString`,
// types are checked, and lookups ignore inherited properties.

/** Whether a value is a number with its original digits, and not an object with such a member. */
export const isRaw = (value) => value !== null && typeof value === "object" && JSON.isRawJSON?.(value) === true;

/** Whether a value is an object of the document. */
export const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value) && !isRaw(value);

/** A value as it was written; objects and lists as JSON. */
export function written(value) {
  if (isRaw(value)) return value.rawJSON;
  return value !== null && typeof value === "object" ? asJSON(value) : String(value);
}

/** A value as JSON, so that numbers and texts differ. */
export function asJSON(value) {
  try {
    return JSON.stringify(value) ?? String(value);
  } catch {
    // The depth of a header that the server didn't parse is unbounded.
    return "(too deep to be shown)";
  }
}

/** A number of a document, rounded to a JavaScript number, or null. */
export function numberOf(value) {
  const number = typeof value === "number" ? value : isRaw(value) ? Number(value.rawJSON) : NaN;
  return Number.isFinite(number) ? number : null;
}

/** The table's own property for a name from a document. */
export function lookup(table, name) {
  const key = written(name);
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Parses JSON and keeps the digits of numbers: identifiers have more than a JavaScript number can represent. */
export function readJSON(text) {
  // Most documents have no such number and are parsed faster without a reviver.
  if (!/[:[,]\s*-?\d(?:[\d.]{14,}|[\d.]*[eE][+-]?\d)/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (name, value, context) => {
    if (typeof value !== "number" || !context?.source || String(value) === context.source) return value;
    return typeof JSON.rawJSON === "function" ? JSON.rawJSON(context.source) : context.source;
  });
}
