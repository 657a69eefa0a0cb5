// Parses BER for display. The input is untrusted: every read is bounded, nothing throws, and malformed parts are marked.
// The server decides the verdict; nothing here affects it.

import { hexOf } from "./dom.js";

const MAX_CHILDREN = 200_000;
const MAX_DEPTH = 64;

/**
 * The element at `start`, or null if it doesn't fit before `end`.
 * `{start, content, contentEnd, end, tag, tagClass, isConstructed, isIndefinite}`; offsets count from the first byte.
 */
export function readElement(bytes, start, end, budget = { steps: 100_000 }, depth = 0) {
  if (start >= end || depth > MAX_DEPTH || (budget.steps -= 1) < 0) return null;
  const first = bytes[start];
  let position = start + 1;
  let tag = first & 0x1f;
  if (tag === 0x1f) {
    tag = 0;
    let octet;
    do {
      if (position >= end || position - start > 5) return null;
      octet = bytes[position];
      tag = tag * 128 + (octet & 0x7f);
      position += 1;
    } while (octet & 0x80);
  }
  if (position >= end) return null;
  let length = bytes[position];
  position += 1;
  const element = {
    start, tag, tagClass: first >> 6, isConstructed: (first & 0x20) !== 0, isIndefinite: length === 0x80,
  };
  if (element.isIndefinite) {
    if (!element.isConstructed) return null;
    element.content = position;
    // It ends with two zero bytes after its last child.
    while (true) {
      if (position + 2 > end) return null;
      if (bytes[position] === 0 && bytes[position + 1] === 0) break;
      const child = readElement(bytes, position, end, budget, depth + 1);
      if (!child) return null;
      position = child.end;
    }
    element.contentEnd = position;
    element.end = position + 2;
    return element;
  }
  if (length > 0x80) {
    const count = length & 0x7f;
    if (count > 4 || position + count > end) return null;
    length = 0;
    for (let index = 0; index < count; index += 1) length = length * 256 + bytes[position + index];
    position += count;
  }
  if (position + length > end) return null;
  element.content = position;
  element.contentEnd = position + length;
  element.end = position + length;
  return element;
}

/** The child elements, and the offset at which parsing stopped early. */
export function children(bytes, element) {
  const elements = [];
  let position = element.content;
  if (element.isConstructed) {
    while (position < element.contentEnd && elements.length < MAX_CHILDREN) {
      const child = readElement(bytes, position, element.contentEnd);
      if (!child) return { elements, stoppedAt: position };
      elements.push(child);
      position = child.end;
    }
    return { elements, stoppedAt: null };
  }
  const inner = encapsulated(bytes, element);
  return { elements: inner ? [inner] : [], stoppedAt: null };
}

/** The element that fills an octet string, or a bit string after its count of unused bits, or null. */
export function encapsulated(bytes, element) {
  if (element.tagClass !== 0 || element.isConstructed || (element.tag !== 4 && element.tag !== 3)) return null;
  const start = element.tag === 3 ? element.content + 1 : element.content;
  if (element.tag === 3 && bytes[element.content] !== 0) return null;
  if (element.contentEnd - start < 2) return null;
  const inner = readElement(bytes, start, element.contentEnd);
  if (!inner || inner.end !== element.contentEnd) return null;
  const isKnown = inner.tagClass === 0
    && [1, 2, 3, 4, 5, 6, 10, 12, 16, 17, 19, 20, 22, 23, 24, 30].includes(inner.tag);
  if (!isKnown || (inner.tag >= 16 && inner.tag <= 17) !== inner.isConstructed) return null;
  if (inner.isConstructed) {
    // Two random bytes can look like an element, but not with well-formed members.
    const { elements, stoppedAt } = children(bytes, inner);
    return stoppedAt === null && elements.length > 0 ? inner : null;
  }
  const length = inner.contentEnd - inner.content;
  if (inner.tag === 1) return length === 1 ? inner : null;
  if (inner.tag === 5) return length === 0 ? inner : null;
  return inner;
}

const UNIVERSAL = {
  1: "BOOLEAN", 2: "INTEGER", 3: "BIT STRING", 4: "OCTET STRING", 5: "NULL", 6: "OBJECT IDENTIFIER", 10: "ENUMERATED",
  12: "UTF8String", 16: "SEQUENCE", 17: "SET", 19: "PrintableString", 20: "TeletexString", 22: "IA5String",
  23: "UTCTime", 24: "GeneralizedTime", 28: "UniversalString", 30: "BMPString",
};

export function tagName(element) {
  if (element.tagClass === 0) return UNIVERSAL[element.tag] ?? `UNIVERSAL ${element.tag}`;
  const names = ["", "APPLICATION ", "", "PRIVATE "];
  return `[${names[element.tagClass]}${element.tag}]`;
}

const OBJECTS = {
  "1.2.840.113549.1.7.1": "data", "1.2.840.113549.1.7.2": "signedData", "1.2.840.113549.1.1.1": "rsaEncryption",
  "1.2.840.113549.1.1.5": "sha1WithRSAEncryption", "1.2.840.113549.1.1.11": "sha256WithRSAEncryption",
  "1.2.840.113549.1.1.12": "sha384WithRSAEncryption", "1.2.840.113549.1.1.13": "sha512WithRSAEncryption",
  "1.2.840.113549.1.9.3": "contentType", "1.2.840.113549.1.9.4": "messageDigest",
  "1.2.840.113549.1.9.5": "signingTime", "1.3.14.3.2.26": "sha1", "2.16.840.1.101.3.4.2.1": "sha256",
  "2.16.840.1.101.3.4.2.2": "sha384", "2.16.840.1.101.3.4.2.3": "sha512", "1.2.840.10045.2.1": "ecPublicKey",
  "1.2.840.10045.3.1.7": "P-256", "1.3.132.0.34": "P-384", "1.2.840.10045.4.3.2": "ecdsaWithSHA256",
  "1.2.840.10045.4.3.3": "ecdsaWithSHA384", "2.5.4.3": "commonName", "2.5.4.6": "countryName",
  "2.5.4.7": "localityName", "2.5.4.8": "stateOrProvinceName", "2.5.4.10": "organizationName",
  "2.5.4.11": "organizationalUnitName", "2.5.29.14": "subjectKeyIdentifier", "2.5.29.15": "keyUsage",
  "2.5.29.19": "basicConstraints", "2.5.29.31": "cRLDistributionPoints", "2.5.29.32": "certificatePolicies",
  "2.5.29.35": "authorityKeyIdentifier", "2.5.29.37": "extKeyUsage", "1.3.6.1.5.5.7.1.1": "authorityInfoAccess",
  "1.3.6.1.5.5.7.48.1": "ocsp", "1.3.6.1.5.5.7.48.2": "caIssuers", "1.3.6.1.5.5.7.2.1": "cps",
  "1.3.6.1.5.5.7.2.2": "userNotice", "1.2.840.113635.100.5.1": "Apple certificate policy",
  "1.2.840.113635.100.6.11.1": "Apple: signs receipts", "1.2.840.113635.100.6.2.1": "Apple: WWDR intermediate",
  "1.2.840.113635.100.6.1.13": "Apple: Developer ID",
};

function objectIdentifier(bytes, from, to) {
  if (to <= from || to - from > 64) return null;
  const arcs = [];
  let value = 0n;
  for (let index = from; index < to; index += 1) {
    value = value << 7n | BigInt(bytes[index] & 0x7f);
    if (bytes[index] & 0x80) continue;
    if (arcs.length === 0) {
      const root = value < 40n ? 0n : value < 80n ? 1n : 2n;
      arcs.push(root, value - root * 40n);
    } else arcs.push(value);
    value = 0n;
  }
  return bytes[to - 1] & 0x80 ? null : arcs.join(".");
}

export function integer(bytes, from, to) {
  if (to <= from) return null;
  if (to - from > 12) return null;
  let value = BigInt.asIntN(8, BigInt(bytes[from]));
  for (let index = from + 1; index < to; index += 1) value = value << 8n | BigInt(bytes[index]);
  return value;
}

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The text in UTF-8 bytes, or null. */
export function text(bytes, from, to) {
  try {
    return UTF8.decode(bytes.subarray(from, to));
  } catch {
    return null;
  }
}

/** A short description of a value, or null. */
export function describe(bytes, element, maxLength = 96) {
  const { content, contentEnd, tag, tagClass, isConstructed } = element;
  const length = contentEnd - content;
  if (isConstructed) return null;
  if (tagClass !== 0) return length ? clip(hexOf(bytes, content, Math.min(contentEnd, content + 24)), length > 24) : "";
  switch (tag) {
    case 1: return length === 1 ? String(bytes[content] !== 0) : "malformed";
    case 2:
    case 10: {
      const value = integer(bytes, content, contentEnd);
      return value === null ? clip(hexOf(bytes, content, Math.min(contentEnd, content + 20)), length > 20) : String(value);
    }
    case 5: return "";
    case 6: {
      const dotted = objectIdentifier(bytes, content, contentEnd);
      return dotted === null ? "malformed" : OBJECTS[dotted] ? `${OBJECTS[dotted]} · ${dotted}` : dotted;
    }
    case 12: case 19: case 20: case 22: case 23: case 24: {
      const value = text(bytes, content, Math.min(contentEnd, content + maxLength * 4));
      return value === null ? "not UTF-8" : `“${value.slice(0, maxLength)}${value.length > maxLength ? "…" : ""}”`;
    }
    default: return clip(hexOf(bytes, content, Math.min(contentEnd, content + 24)), length > 24);
  }
}

const clip = (value, isCut) => (isCut ? `${value} …` : value);

// Receipts.

/** Names and types of attributes, from Apple's Receipt Fields and from comparing receipts. */
export const ATTRIBUTES = {
  0: ["Environment", "text"], 1: ["App Store identifier", "number"], 2: ["Bundle identifier", "text"],
  3: ["App version", "text"], 4: ["Opaque value", "bytes"], 5: ["Device hash (SHA-1)", "bytes"],
  6: ["Opaque bytes", "bytes"], 7: ["Opaque bytes", "bytes"], 8: ["Transaction date", "date"],
  9: ["Fulfillment tool version", "number"], 10: ["Age rating", "text"], 11: ["Developer identifier", "number"],
  12: ["Creation date", "date"], 13: ["Operating system version", "number"], 14: ["Device model code", "number"],
  15: ["Download identifier", "number"], 16: ["Version external identifier", "number"],
  17: ["In-app purchase", "purchase"], 18: ["Original purchase date", "date"], 19: ["Original version", "text"],
  20: ["Reserved text", "text"], 21: ["Expiration date", "date"], 22: ["Volume purchase date", "date"],
  23: ["Volume purchase client", "text"], 25: ["Platform code", "number"], 32: ["Preorder date", "date"],
  1701: ["Quantity", "number"], 1702: ["Product identifier", "text"], 1703: ["Transaction identifier", "text"],
  1704: ["Purchase date", "date"], 1705: ["Original transaction identifier", "text"],
  1706: ["Original purchase date", "date"], 1707: ["Product type", "number"], 1708: ["Expiration date", "date"],
  1709: ["Reserved text", "text"], 1710: ["Product store identifier", "number"],
  1711: ["Web order line item", "number"], 1712: ["Cancellation date", "date"], 1713: ["Is trial period", "number"],
  1714: ["Reserved text", "text"], 1715: ["Reserved text", "text"], 1716: ["Reserved text", "text"],
  1717: ["Reserved text", "text"], 1718: ["Reserved text", "text"], 1719: ["Is introductory offer period", "number"],
  1721: ["Promotional offer identifier", "text"], 1722: ["Reserved number", "number"],
};

/** The types that Apple documents. */
export const DOCUMENTED = new Set([
  2, 3, 4, 5, 12, 17, 19, 21, 1701, 1702, 1703, 1704, 1705, 1706, 1708, 1711, 1712, 1719,
]);

/** The three members of an attribute, if the element is one. */
export function attributeAt(bytes, element) {
  if (element.tagClass !== 0 || element.tag !== 16 || !element.isConstructed) return null;
  const parts = [];
  let position = element.content;
  while (position < element.contentEnd && parts.length < 4) {
    const part = readElement(bytes, position, element.contentEnd);
    if (!part) return null;
    parts.push(part);
    position = part.end;
  }
  const [type, version, value] = parts;
  if (parts.length !== 3 || type.tag !== 2 || version.tag !== 2 || value.tag !== 4 || value.isConstructed) return null;
  const number = integer(bytes, type.content, type.contentEnd);
  if (number === null || number < 0n || number > 0x7fffffffn) return null;
  return {
    type: Number(number), version: String(integer(bytes, version.content, version.contentEnd) ?? "?"),
    start: element.start, end: element.end, from: value.content, to: value.contentEnd,
  };
}

/** The attributes in a set, or an empty list. */
export function attributesIn(bytes, set) {
  if (!set || set.tag !== 17 || !set.isConstructed) return [];
  return children(bytes, set).elements.map((element) => attributeAt(bytes, element)).filter(Boolean);
}

/**
 * The payload of a receipt: `{bytes, set, isInPlace}`, or null. The pieces of a constructed octet string are joined, so that
 * their offsets differ from the container's.
 */
export function payload(bytes) {
  const root = readElement(bytes, 0, bytes.length, { steps: 2_000_000 });
  const signed = root && step(bytes, root, 1, 0);
  const info = signed && step(bytes, signed, 2);
  const content = info && step(bytes, info, 1, 0);
  if (!content) return null;
  return setIn(bytes, content, 0);
}

function step(bytes, element, index, inner) {
  const child = children(bytes, element).elements[index];
  return inner === undefined || !child ? child : children(bytes, child).elements[inner];
}

function setIn(bytes, element, depth) {
  if (depth > 2) return null;
  if (element.tag === 17) return { bytes, set: element, isInPlace: true };
  if (element.tag !== 4) return null;
  if (!element.isConstructed) {
    const inner = readElement(bytes, element.content, element.contentEnd, { steps: 2_000_000 });
    return inner ? setIn(bytes, inner, depth + 1) : null;
  }
  const pieces = children(bytes, element).elements;
  if (pieces.length === 1) return setIn(bytes, pieces[0], depth);
  const joined = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.contentEnd - piece.content, 0));
  let position = 0;
  for (const piece of pieces) {
    joined.set(bytes.subarray(piece.content, piece.contentEnd), position);
    position += piece.contentEnd - piece.content;
  }
  const inner = readElement(joined, 0, joined.length, { steps: 2_000_000 });
  const found = inner && setIn(joined, inner, depth + 1);
  return found && { ...found, isInPlace: false };
}

/** The decoded value of an attribute: `{kind, text}`, or null if it doesn't decode as its type. */
export function attributeValue(bytes, attribute) {
  const kind = ATTRIBUTES[attribute.type]?.[1] ?? "any";
  const { from, to } = attribute;
  if (kind === "bytes") return null;
  const element = readElement(bytes, from, to);
  if (!element || element.end !== to) return null;
  const isText = element.tagClass === 0 && [12, 19, 20, 22].includes(element.tag);
  if (isText) {
    const value = text(bytes, element.content, element.contentEnd);
    if (value === null) return null;
    return { kind: kind === "date" && value !== "" ? "date" : "text", text: value };
  }
  if (element.tagClass === 0 && element.tag === 2 && !element.isConstructed) {
    const value = integer(bytes, element.content, element.contentEnd);
    return value === null ? null : { kind: "number", text: String(value) };
  }
  return null;
}
