// The answer in one sentence: what the customer has, or why the input isn't valid, in plain words.

import { ago, count, dayText, h, milliseconds, shown, time, timeText } from "./dom.js";
import { stateOf } from "./products.js";
import { lookup, numberOf, written } from "./values.js";
import { DAMAGED, DATA_KINDS, FAILURES, READING_CHECKS, STATUSES, TEST_PLACES } from "./words.js";

/** The kind of the input, as a noun. */
export function noun(document) {
  switch (document.kind) {
    case "receipt": return "receipt";
    case "signed-data": return lookup(DATA_KINDS, document.dataKind)?.toLowerCase().replace(/^(signed|server) /, "") ?? "signed data";
    case "transaction-receipt": return "transaction receipt";
    default: return "input";
  }
}

/** The name of an account; undefined if only its hash is known. */
export const accountName = (account, { customer }) => lookup(customer?.names ?? {}, account);

/** Whether one of the accounts has other purchases. */
const hasMore = ({ customer }) => Object.values(customer?.otherPurchases ?? {}).some((number) => number > 0);

/** The accounts of the purchases, and null last if some have none: nobody's purchase is another customer's. */
export const ownersOf = ({ customer, products }) => [...(customer?.accounts ?? []), ...((products ?? []).some((product) => !product.account) ? [null] : [])];

/** Whether the purchases belong to several accounts, or some to none. */
export const hasSeveralCustomers = (document) => (document.customer?.accounts.length ?? 0) > 0 && ownersOf(document).length > 1;

/** An account as a name, or the beginning of its hash; null is none. */
export function ownerWords(owner, document) {
  if (owner === null) return "No account";
  const name = accountName(owner, document);
  return name === undefined ? `${shown(owner).slice(0, 20)}…` : shown(name);
}

/** The products of an account, or of none. */
export const productsOf = ({ products }, owner) => (products ?? []).filter((product) => (product.account ?? null) === owner);

/** The title above the answer. One token isn't everything that a customer has. */
export function answerTitle(document) {
  if (document.verdict !== "valid") return "What this means";
  // One purchase of several isn't everything that a customer has either.
  if (hasMore(document)) return document.customer.purchases.length === 1 ? "This purchase" : "These purchases";
  if (hasSeveralCustomers(document)) return "What each customer has";
  if (document.customer?.stored > 0) return "What the customer has";
  return document.kind !== "receipt" ? `What this ${noun(document)} shows` : "What the customer has";
}

/** The bundle identifier that the bytes state. */
export const appOf = (document) => document.receipt?.bundleIdentifier ?? document.payload?.bundleId
  ?? document.payload?.data?.bundleId ?? document.payload?.appData?.bundleId;

/** What an invalid input means: `{means, more, customer, ticket, next, proof}`. `more` is a second sentence; it, `customer`, `next` and `proof` may be null. */
export function meaning(document) {
  const { failure, roots, trust } = document;
  const isReplaced = failure?.code === "root-not-trusted" && roots?.includesApple === false && trust !== "sample";
  const words = { means: "Not proven: don't unlock", ...lookup(FAILURES, failure?.check), ...lookup(FAILURES, isReplaced ? "root-replaced" : failure?.code), ...ofStatus(document.claimed) };
  const proof = document.isProven && (trust === "sample" ? "The signature itself is valid, under the test root of the samples." : "The signature itself is valid.");
  return { ...words, ticket: [ticket(document, words), ...besides(document)].join(" "), next: words.next ?? failure?.remedy, proof: proof || null };
}

/** What a ticket says about an invalid input. */
function ticket(document, { means, more }) {
  const app = appOf(document) ?? document.claimed?.bundleIdentifier;
  const claimed = (document.claimed?.purchases ?? []).map((purchase) => purchase.transactionIdentifier);
  const transactions = [...new Set([document.payload?.transactionId, ...claimed].filter(Boolean).map(shown))];
  const claims = [app && `app ${shown(app)}`, transactions.length > 0 && `transaction ${transactions.slice(0, MAX_TRANSACTIONS).join(", ")}${transactions.length > MAX_TRANSACTIONS ? " and others" : ""}`].filter(Boolean).join(", ");
  const facts = claims && `${document.isProven ? "Signed" : "Claimed, not proven"}: ${claims}.`;
  return [`Checked on ${dayText(document.now)}. ${means}.`, more, facts].filter(Boolean).join(" ");
}

/** The number of claimed transactions that a ticket names. */
const MAX_TRANSACTIONS = 3;

/** What an answer of verifyReceipt means that has an error in place of a receipt; null for other inputs. */
function ofStatus(claimed) {
  const status = numberOf(claimed?.status);
  if (!status || claimed.purchases.length > 0) return null;
  const words = lookup(STATUSES, status >= 21_100 && status < 21_200 ? 21_009 : status);
  return { ...words, means: `Not a receipt, but an error of Apple's check (status ${status}): don't unlock`, more: words ? `${words.means}.` : "The status isn't one that Apple documents." };
}

/**
 * What else a message contains or names beside what was searched or proven in it, as sentences; for the document of a
 * result, or a failure.
 */
export const besides = (document) => [...(document.leads ?? []).map((lead) => shown(lead.words)), ...contained(document)];

/** What else it contains. */
export function contained(document) {
  const { hasDamagedItem, claimed } = document;
  // Without a result, the status is what the message means.
  const status = document.verdict === "invalid" ? null : ofStatus(claimed);
  return [hasDamagedItem === true && DAMAGED, status && `The message also contains an error of Apple's check (status ${numberOf(claimed.status)}). ${status.more}`,
    otherItems(document), ...(document.kind === "customer" ? differences(document) : [])].filter(Boolean);
}

/** What became of the other items in the input. */
function otherItems(document) {
  const { items, isTruncated } = document.input ?? {};
  if (!(items > 1)) return null;
  // Unsigned transactions are searched together.
  if (!document.customer && document.claimed?.purchases.length > 1) return null;
  if (!document.customer) return `The input contains ${count(items, "receipt")} and tokens. Only the first is shown.`;
  const { rejected } = document;
  const means = ({ index, check, code, message }) => (READING_CHECKS.has(check) ? `Item ${index + 1} can't be read: it is cut off or damaged. Ask for the whole receipt.`
    : `Item ${index + 1} doesn't count: ${{ ...lookup(FAILURES, check), ...lookup(FAILURES, code) }.means ?? shown(message).replace(/\.$/, "")}.`);
  const valid = items - rejected.length;
  const together = valid < 2 ? "" : hasSeveralCustomers(document) ? " They are of several customers." : " They count together.";
  return [`The input contains ${count(items, "receipt or token", "receipts and tokens")}${rejected.length > 0 ? `, of which ${valid} ${valid === 1 ? "is" : "are"} valid` : ""}.${together}`,
    isTruncated && "There are more, which weren't read.",
    ...rejected.slice(0, 5).map(means)].filter(Boolean).join(" ");
}

/** Which of several items the checks are of; null for one. */
export const checkedItem = (document) => (document.input?.items > 1 && document.customer ? `The checks are of item ${document.input.index + 1}${ofOwner(document)}.` : null);

/** Whose the examined item is, if the products are of several customers. */
function ofOwner(document) {
  if (!hasSeveralCustomers(document)) return "";
  const { receipt, payload, products } = document;
  const named = [payload?.originalTransactionId, ...(receipt?.purchases ?? []).map((purchase) => purchase.originalTransactionIdentifier ?? purchase.transactionIdentifier)];
  const originals = new Set(named.filter(Boolean).map(written));
  const product = products.find((one) => originals.has(written(one.originalTransactionIdentifier ?? "")));
  return product ? `, of ${product.account ? ownerWords(product.account, document) : "no account"}` : "";
}

/** Where claims contradict what Apple signed about the same purchases, as sentences. */
function differences({ claimed, products, customer }) {
  const originalOf = (purchase) => written(purchase.originalTransactionIdentifier ?? purchase.transactionIdentifier ?? "");
  const claims = new Map();
  // The claimed purchase that ends last decides, as the newest period does.
  for (const purchase of claimed?.purchases ?? []) {
    const known = claims.get(originalOf(purchase));
    if (!known || endOf(purchase) > endOf(known)) claims.set(originalOf(purchase), purchase);
  }
  const shownOriginals = new Set((customer?.purchases ?? []).map((purchase) => written(purchase.originalTransactionIdentifier)));
  return [...claims].slice(0, MAX_DIFFERENCES).map(([original, claim]) => {
    if (!shownOriginals.has(original)) {
      return `The input also claims ${shown(claim.productIdentifier ?? "an unknown product")}, transaction ${shown(claim.transactionIdentifier ?? "unknown")}, of which nothing is known: it isn't proven.`;
    }
    const ofOriginal = products.filter((one) => written(one.originalTransactionIdentifier ?? "") === original);
    const product = ofOriginal.find((one) => one.productIdentifier === claim.productIdentifier) ?? ofOriginal[0];
    const what = product && difference(claim, product);
    return what && `The input claims something else than Apple signed: ${what}. What Apple signed counts.`;
  }).filter(Boolean);
}

const endOf = (claim) => milliseconds(claim.expirationDate) ?? -Infinity;

/** The number of claims that are compared. */
const MAX_DIFFERENCES = 3;

/** What a claim says otherwise than Apple; null for nothing. Claims that are older than Apple's data end earlier. */
function difference(claim, product) {
  const isTaken = product.state === "refunded" || product.state === "revoked";
  const [claimed, apples] = [claim.productIdentifier, product.productIdentifier];
  if (claimed && claimed !== apples && endOf(claim) >= (milliseconds(product.until) ?? -Infinity)) return `the product ${shown(claimed)} in place of ${shown(apples)}`;
  if (claim.cancellationDate && !isTaken) return `${shown(apples)} canceled, which isn't`;
  if (isTaken && !claim.cancellationDate) return `${shown(apples)} not ${product.state}, which it is`;
  if (!isTaken && endOf(claim) > (milliseconds(product.until) ?? Infinity)) return `${shown(apples)} until ${dayText(claim.expirationDate)} in place of ${dayText(product.until)}`;
  return null;
}

/** The number of states whose products the sentence names. A single product is always named. */
const MAX_NAMED = 2;

/**
 * The answer: `{lead, more, text}`. `lead` is content for an element, `text` the same as plain text, and `more` a second
 * sentence or null.
 */
export function answer(document) {
  if (document.verdict !== "valid") {
    const { means, more = null } = meaning(document);
    return { lead: means, text: means, more };
  }
  const products = document.products ?? [];
  if (products.length === 0) {
    const [words, more] = absence(document);
    return { lead: words, text: words, more };
  }
  const owners = ownersOf(document);
  if (!hasSeveralCustomers(document)) return { ...joined(clausesOf(document), "; "), more: null };
  // Each customer has an answer, and nobody's hides another's.
  const answers = owners.slice(0, MAX_CUSTOMERS).map((owner) => {
    const { lead, text } = joined(clausesOf({ ...document, products: productsOf(document, owner) }, appsOf(document).length > 1), "; ");
    return { content: [h("span", { class: "receipt-text" }, ownerWords(owner, document)), ": ", lead], text: () => `${ownerWords(owner, document)}: ${text}` };
  });
  const words = `${owners.length} customers`;
  const all = [...(owners.length > MAX_CUSTOMERS ? [{ content: words, text: () => words }] : []), ...answers];
  return { lead: all.map(({ content }, index) => [index > 0 && " ", h("span", { class: "customer-answer" }, content)]), text: joined(all, ". ").text, more: null };
}

/** The number of customers whose answers the sentence contains. */
const MAX_CUSTOMERS = 3;

const joined = (clauses, separator) => ({
  lead: clauses.map(({ content }, index) => [index > 0 && separator, content]), text: clauses.map(({ text }) => text()).join(separator),
});

/** What one customer has. */
function clausesOf(document, hasApps = appsOf(document).length > 1) {
  const { products } = document;
  if (products.length === 0) return [{ content: "no product", text: () => "no product" }];
  const clauses = grouped(products, hasApps).map((group, index) => clause(group, { isNamed: index < MAX_NAMED || group.length === 1, hasApps }));
  // What nobody asks about must not hide that nothing is active, nor may a test.
  const nothing = absenceOfActive(document, products);
  if (nothing) clauses.unshift({ content: nothing, text: () => nothing });
  return clauses;
}

/** Whether the answer is the title of the report, because the input is proven. The title of a search is what was found. */
export const answersFirst = (document) => document.verdict === "valid" && document.kind !== "customer";

/** Whether the customer may use something, outside of tests. */
export const isAnyActive = ({ products }) => (products ?? []).some((product) => product.isActive && !isTest(product));

/** That nothing is active, as far as it is known; null if something is. */
function absenceOfActive(document, products) {
  if (isAnyActive(document)) return null;
  if (products.some((product) => product.isActive)) return "Nothing is active in production";
  return hasMore(document) ? null : "Nothing is active";
}

const isTest = (product) => Object.hasOwn(TEST_PLACES, product.environment);

/** The apps of the products, each once. */
export const appsOf = ({ products }) => [...new Set((products ?? []).map((product) => product.bundleIdentifier).filter(Boolean))];

/** Where a state counts, if that isn't production. */
const placeOf = (product) => lookup(TEST_PLACES, product.environment)?.[0] ?? "";

/** The products by the words of their states, those that the customer may use first, and by app if there are several. */
function grouped(products, hasApps) {
  const groups = new Map();
  const rank = (product) => stateOf(product).rank;
  for (const product of [...products].sort((one, other) => Number(isTest(one)) - Number(isTest(other)) || Number(other.isActive) - Number(one.isActive) || rank(one) - rank(other))) {
    const key = JSON.stringify([stateOf(product).words, placeOf(product), hasApps && product.bundleIdentifier]);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(product);
  }
  return [...groups.values()];
}

function clause(group, { isNamed, hasApps }) {
  const [product] = group;
  const state = stateOf(product);
  const place = placeOf(product);
  const words = state.words.toLowerCase() + place;
  if (group.length > 1 || !isNamed) {
    const what = count(group.length, group.every((one) => one.kind === "subscription") ? "subscription" : "product");
    const text = `${what}${hasApps ? ` of ${shown(product.bundleIdentifier)}` : ""}: ${words}`;
    return { content: text, text: () => text };
  }
  const name = `${product.name ?? written(product.productIdentifier)}${hasApps ? ` (${written(product.bundleIdentifier)})` : ""}`;
  if (!state.until || !product.until) return { content: [broken(name), ` ${words}`], text: () => `${shown(name)} ${words}` };
  return {
    content: [broken(name), ` ${state.until.toLowerCase()} `, time(product.until, "day"), place],
    text: () => `${shown(name)} ${state.text().replace(/^./, (letter) => letter.toLowerCase())}${place}`,
  };
}

/** An identifier that breaks only after its dots. */
const broken = (name) => h("span", { class: "receipt-text" }, shown(name).split(/(?<=\.)/).map((part, index) => [index > 0 && h("wbr"), part]));

/** Why there are no products, in one or two sentences. */
function absence(document) {
  if (document.dataKind === "renewal-info") return ["Renewal information alone contains no purchase", "It counts only together with a transaction or receipt."];
  if (document.dataKind === "app-transaction") return ["No in-app purchases", "An app transaction shows how the customer got the app."];
  if (document.dataKind === "realtime-request") return ["A realtime request contains no purchase", null];
  if (document.dataKind === "notification") return ["This notification contains no transaction", null];
  if (!document.environment) return ["The environment is unknown", "Entitlements belong to one environment."];
  // Receipts of volume purchases have an environment of their own.
  const isVolume = /VPP/.test(written(document.receipt?.environment ?? ""));
  return [isVolume ? "The app, bought in volume; no in-app purchases" : "No in-app purchases", null];
}

/** The date of the newest evidence, or null. */
export function evidenceDate(document) {
  const dates = (document.products ?? []).map((product) => product.asOf).filter((date) => milliseconds(date) !== null);
  return dates.length > 0 ? dates.reduce((one, other) => (Date.parse(one) > Date.parse(other) ? one : other)) : document.validationDate ?? null;
}

/** What the answer is based on: everything that the server knows, or the input. */
function words({ customer, rejected, trust }) {
  const waits = customer?.isPartial ? "The App Store hasn't answered yet: check again in a moment." : "";
  if (customer?.stored > 0) return ["From everything that this server knows, the newest signed", waits];
  const alone = trust === "sample" ? "A sample is examined alone." : "The server knows nothing else about these purchases.";
  const others = rejected?.length > 0 ? ` ${count(rejected.length, "item")} of the input ${rejected.length === 1 ? "was" : "were"} rejected.` : "";
  return ["From this input alone, as of its signing date,", `${alone}${others}${waits && ` ${waits}`}`];
}

/** What the answer is based on, as an element. */
export function basis(document) {
  const date = evidenceDate(document);
  const [lead, more] = words(document);
  return h("p", { class: "muted basis" }, lead, date !== null && [" ", time(date, "minute"), ` (${ago(date, document.now)})`], `. ${more}`);
}

/** The same as text. */
export function basisText(document) {
  const date = evidenceDate(document);
  const [lead, more] = words(document);
  return `${lead}${date === null ? "" : ` ${timeText(date)} (${ago(date, document.now)})`}. ${more}`.trim();
}
