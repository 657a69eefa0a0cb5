// Files and folders that somebody drops or picks. Of an app bundle the receipt in it is taken.

/** As much as is read into memory at all; the server has a limit of its own, and says it. */
const MOST_BYTES = 32 * 1024 * 1024;

/** Where a receipt lies in a bundle or container, best first. */
const PLACES = [
  /(^|\/)Contents\/_MASReceipt\/receipt$/, /(^|\/)StoreKit\/receipt$/, /(^|\/)StoreKit\/sandboxReceipt$/,
  /(^|\/)_MASReceipt\/receipt$/, /(^|\/)(receipt|sandboxReceipt)$/,
];

/** An input: bytes with a name. */
async function read(file, name = file.name) {
  if (file.size > MOST_BYTES) {
    throw new Error(`“${name}” has ${file.size.toLocaleString("en")} bytes. No receipt is as large as that.`);
  }
  if (file.size === 0) throw new Error(`“${name}” is empty.`);
  return { name, bytes: new Uint8Array(await file.arrayBuffer()) };
}

/** Of files with paths the receipt among them. */
function best(files, path) {
  for (const place of PLACES) {
    const found = files.find((file) => place.test(path(file)));
    if (found) return found;
  }
  return null;
}

/** What was picked with a file dialog; of a folder the receipt in it. */
export async function picked(files) {
  const list = [...files];
  if (list.length === 0) return null;
  if (!list[0].webkitRelativePath) return read(list[0]);
  const file = best(list, (one) => one.webkitRelativePath);
  if (!file) throw new Error(absence(list[0].webkitRelativePath.split("/")[0]));
  return read(file, file.webkitRelativePath);
}

/** What was dropped: text, a file, or a folder. Null if there is nothing to take. */
export async function dropped(transfer) {
  // The transfer is emptied when this function first waits.
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
  `No receipt was found in “${name}”. It is looked for in Contents/_MASReceipt/receipt, StoreKit/receipt and `
  + "StoreKit/sandboxReceipt. Apps that were not bought in the App Store have none.";

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
    entry.file(resolve, () => reject(new Error(`“${entry.name}” could not be read.`)));
  });
}
