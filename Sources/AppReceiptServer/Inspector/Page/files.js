// Reads dropped and picked files and folders. In an app bundle, finds the receipt.

/** The maximum size of a file. The server has its own limit. */
const MAX_BYTES = 32 * 1024 * 1024;

/** The paths of receipts in bundles and containers, best first. */
const PLACES = [
  /(^|\/)Contents\/_MASReceipt\/receipt$/, /(^|\/)StoreKit\/receipt$/, /(^|\/)StoreKit\/sandboxReceipt$/,
  /(^|\/)_MASReceipt\/receipt$/, /(^|\/)(receipt|sandboxReceipt)$/,
];

/** An input: bytes with a name. */
async function read(file, name = file.name) {
  if (file.size > MAX_BYTES) {
    throw new Error(`“${name}” has ${file.size.toLocaleString("en")} bytes, which is too large for a receipt.`);
  }
  if (file.size === 0) throw new Error(`“${name}” is empty.`);
  return { name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** The receipt among files with paths, or null. */
function best(files, path) {
  for (const place of PLACES) {
    const found = files.find((file) => place.test(path(file)));
    if (found) return found;
  }
  return null;
}

/** The input from a file dialog: a file, or the receipt in a folder. */
export async function picked(files) {
  const list = [...files];
  if (list.length === 0) return null;
  if (!list[0].webkitRelativePath) return read(list[0]);
  const file = best(list, (one) => one.webkitRelativePath);
  if (!file) throw new Error(absence(list[0].webkitRelativePath.split("/")[0]));
  return read(file, file.webkitRelativePath);
}

/** The dropped input: text, a file, or the receipt in a folder. Null if there is none. */
export async function dropped(transfer) {
  // The browser empties the transfer at the first await.
  const entries = [...transfer.items]
    .filter((item) => item.kind === "file").map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  const files = [...transfer.files];
  const text = transfer.getData("text/plain");
  const folder = entries.find((entry) => entry.isDirectory);
  if (folder) return fromFolder(folder);
  if (files.length > 0) return read(files[0]);
  return text ? { name: null, text } : null;
}

const absence = (name) =>
  `No receipt was found in “${name}” at Contents/_MASReceipt/receipt, StoreKit/receipt or `
  + "StoreKit/sandboxReceipt. Only apps from the App Store have one.";

async function fromFolder(folder) {
  const direct = [
    "Contents/_MASReceipt/receipt", "StoreKit/receipt", "StoreKit/sandboxReceipt", "_MASReceipt/receipt", "receipt",
    "sandboxReceipt",
  ];
  for (const path of direct) {
    const entry = await fileEntry(folder, path);
    if (entry) return read(await asFile(entry), `${folder.name}/${path}`);
  }
  throw new Error(absence(folder.name));
}

function fileEntry(folder, path) {
  return new Promise((resolve) => {
    if (typeof folder.getFile !== "function") resolve(null);
    else folder.getFile(path, {}, resolve, () => resolve(null));
  });
}

function asFile(entry) {
  return new Promise((resolve, reject) => {
    entry.file(resolve, () => reject(new Error(`“${entry.name}” can't be read.`)));
  });
}
