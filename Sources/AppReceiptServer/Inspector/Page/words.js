// Display names: kinds of data, checks, failures, states of entitlements, countries, and Apple's names of fields.

import { written } from "./values.js";

export const DATA_KINDS = {
  transaction: "Signed transaction", "renewal-info": "Signed renewal information",
  "app-transaction": "Signed app transaction", notification: "Server notification",
  "realtime-request": "Realtime request",
};

/** The titles of the checks. */
export const CHECK_TITLES = {
  container: "Container",
  token: "Token",
  payload: "Payload",
  "certificate-chain": "Certificate chain",
  signature: "Signature",
  "bundle-identifier": "Bundle identifier",
  environment: "Environment",
  "app-version": "App version",
  "original-app-version": "Original version",
  "app-apple-id": "App Apple ID",
  "device-hash": "Device",
  "device-verification": "Device",
  expiration: "Expiration",
  "nested-data": "Nested data",
};

/** What happened at the date at which the certificates were validated: as a participle, and as a clause. */
const SIGNINGS = { "signed-data": ["signed", "data was signed"], "transaction-receipt": ["purchased", "purchase was made"] };

/** What happened to an input at its date. */
export const signing = (document) => SIGNINGS[document.kind] ?? ["created", "receipt was created"];

// What a failure means, the sentence for the customer, and the next step of support.

/** Whether the server can look up the order number in Apple's mail about a purchase. Without that, the mail doesn't help. */
const LOOKS_UP_ORDERS = document.body.dataset.orders === "true";
const withOrders = (words) => (LOOKS_UP_ORDERS ? words : "");
const OR_MAIL = withOrders(", or forward us Apple's mail about the purchase");
const ELSE_MAIL = withOrders(" If that doesn't help, forward us Apple's mail about the purchase.");
const OR_FOR_MAIL = withOrders(", or for Apple's mail about the purchase,");

export const READ_AGAIN = {
  customer: "We can't read the receipt that we received: a part of it is missing or was changed on the way. Please copy the whole receipt again" + OR_MAIL + ".",
  next: `Ask for the whole receipt, as a file if possible${OR_FOR_MAIL} and paste it here, or find the customer by account.`,
};
const UNPROVEN = {
  customer: "We can't verify this purchase with Apple. Please open the app from the App Store and tap Restore Purchases.",
  next: LOOKS_UP_ORDERS
    ? "It proves nothing, so grant nothing for it. Ask for Apple's mail about the purchase, and paste it here: what Apple knows about the order counts."
    : "It proves nothing, so grant nothing for it. Ask for the receipt of the app, or find the customer by account.",
};
const OTHER_APP = {
  customer: "This receipt is for another app. Please send the one for ours: open the app and tap Restore Purchases.",
  next: "Ask which app the customer means, and for the receipt of that app.",
};
const OTHER_DEVICE = {
  customer: "This receipt is for another device. Please tap Restore Purchases on this one.",
  next: "Ask for the receipt of the device that has the problem. If you entered a device identifier, compare it with the customer's.",
};
/** The error's remedy is the next step, because the customer can't change anything. */
const NOT_COMPARED = { customer: null, next: null };
const NO_DEVICE = { ...NOT_COMPARED, means: "The device can't be compared: don't unlock" };

/** By the code of the failure, or by its check. What the entry of a code lacks is in the entry of its check. */
export const FAILURES = {
  "input-unrecognized": {
    means: "Not a receipt: don't unlock",
    customer: "We couldn't find a receipt in your message. Please open the app and tap Restore Purchases." + ELSE_MAIL,
    next: `Ask for the receipt of the app${OR_FOR_MAIL} and paste it here, or find the customer by account.`,
  },
  "token-unsigned": { ...UNPROVEN, means: "Not signed by Apple: don't unlock" },
  "response-without-receipt": {
    means: "Only claims, without a receipt: don't unlock",
    customer: "We need the receipt itself. Please open the app and tap Restore Purchases" + OR_MAIL + ".",
    next: `Ask for the receipt itself${OR_FOR_MAIL} and paste it here, or find the customer by account.`,
  },
  container: { ...READ_AGAIN, means: "Not a readable receipt: don't unlock" },
  token: { ...READ_AGAIN, means: "Not a readable token: don't unlock" },
  payload: { ...READ_AGAIN, means: "The contents can't be read: don't unlock" },
  "root-not-trusted": { means: "Not from Apple: don't unlock" },
  "root-replaced": {
    means: "Not signed under a root that is trusted here: don't unlock",
    next: "Ask the server's operator which data it accepts: it trusts other roots than Apple's.",
  },
  "certificate-chain": { ...UNPROVEN, means: "Not proven to be from Apple: don't unlock" },
  signature: { ...UNPROVEN, means: "Forged, or changed after Apple signed it: don't unlock" },
  "bundle-identifier-missing": { ...UNPROVEN, means: "It names no app: don't unlock" },
  "bundle-identifier": { ...OTHER_APP, means: "For another app: don't unlock" },
  "environment-missing": { ...UNPROVEN, means: "It names no environment: don't unlock" },
  "environment-unknown": { ...UNPROVEN, means: "From an unknown environment: don't unlock" },
  environment: {
    means: "From another environment: don't unlock",
    customer: "This purchase was made in a test version of the app. Please restore your purchases in the version from the App Store.",
    next: "Ask for the receipt of the app from the App Store. What testers buy costs nothing and counts only in the test.",
  },
  "app-version-missing": { means: "It names no version of the app: don't unlock" },
  "app-version": { means: "For another version of the app: don't unlock" },
  "original-app-version-missing": { means: "It doesn't name the version first bought: don't unlock" },
  "original-app-version": { means: "First bought as another version: don't unlock" },
  "app-apple-id-missing": { ...UNPROVEN, means: "It has no app identifier: don't unlock" },
  "app-apple-id-unspecified": { ...NOT_COMPARED, means: "Not compared with an app identifier: don't unlock" },
  "app-apple-id": { ...OTHER_APP, means: "For another app: don't unlock" },
  "device-hash-missing": { ...NOT_COMPARED, means: "It names no device: don't unlock" },
  "device-hash-inputs-missing": NO_DEVICE,
  "device-identifier-missing": NO_DEVICE,
  "device-identifier-unsupported": NO_DEVICE,
  "device-identifier-malformed": NO_DEVICE,
  "device-verification-missing": { ...NOT_COMPARED, means: "It names no device: don't unlock" },
  "device-hash": { ...OTHER_DEVICE, means: "For another device: don't unlock" },
  "device-verification": { ...OTHER_DEVICE, means: "For another device: don't unlock" },
  expiration: {
    means: "Expired: don't unlock", customer: "This receipt has expired. Please open the app and tap Restore Purchases.",
    next: "Ask for a new receipt, after Restore Purchases.",
  },
  "nested-data": { ...UNPROVEN, means: "The data inside it isn't valid: don't unlock" },
};

/** The checks that fail if an input can't be read. Their details help developers only. */
export const READING_CHECKS = new Set(["container", "token", "payload"]);

/** What to tell the customer about a failed request, by its code. */
export const REQUEST_FAILURES = {
  "customer-unknown": "We couldn't find your purchase with what you sent us. Please tell us the name of your account, or open the app and tap Restore Purchases." + ELSE_MAIL,
  "app-store-unconfigured": "We can't look up an order number here. Please open the app, tap Restore Purchases and send us its receipt, or tell us the name of your account.",
  "customer-ambiguous": "Your message names several accounts or purchases. Which one is it about?",
  "app-store-failed": "Apple's App Store isn't answering us at the moment. We'll look up your purchase as soon as it does.",
};

/** What to tell a customer who is known about what a message names, by the code of the search for it. */
export const LEAD_FAILURES = {
  "app-store-unconfigured": "We can't look up an order number here. Please open the app, tap Restore Purchases and send us its receipt.",
  "customer-unknown": "We couldn't find the transaction that you named. Please check its number, or open the app, tap Restore Purchases and send us its receipt.",
};

/** What to tell who writes about the purchases of somebody else. */
export const OTHER_SENDER = "What you ask about belongs to another account than that of your address. Please write to us from the address of that account, or tell us its name.";

/** What was found by a number or name beside a receipt that can't be read. */
export const DAMAGED = "The message also contains a receipt that can't be read: it is cut off or damaged.";

// What an answer of verifyReceipt means that has an error in place of a receipt.

const OUR_SERVER = {
  customer: "The check of your purchase failed on our side. We are working on it; you don't have to do anything.",
  next: "Give the status to the developers: the app or its server must change. A new receipt doesn't help.",
};
const APPLES_SERVICE = {
  customer: "Apple's App Store couldn't check your purchase at that moment. Please open the app again and tap Restore Purchases.",
  next: "Have the receipt checked again. If the status stays, give it to the developers.",
};
const NEW_RECEIPT = {
  customer: "Apple couldn't accept the receipt from your device. Please open the app and tap Restore Purchases.",
  next: "After Restore Purchases, the app has a new receipt. If the status stays, paste the receipt itself here.",
};

/** By the status. Those from 21100 to 21199 mean the same as 21009. */
export const STATUSES = {
  21000: { ...OUR_SERVER, means: "Apple couldn't read the request of the app's server" },
  21002: { ...NEW_RECEIPT, means: "The receipt that was sent to Apple is missing or damaged, or Apple had a temporary problem" },
  21003: { ...NEW_RECEIPT, means: "Apple found that the receipt isn't genuine: it is damaged, changed or forged" },
  21004: { ...OUR_SERVER, means: "The shared secret that was sent to Apple isn't the app's" },
  21005: { ...APPLES_SERVICE, means: "Apple's service wasn't available" },
  21006: {
    means: "The receipt is genuine, but its subscription has ended",
    customer: "Please open the app and tap Restore Purchases, so that we get your newest receipt.",
    next: "Ask for the receipt itself, which shows when the subscription ended.",
  },
  21007: { ...OUR_SERVER, means: "A receipt of the sandbox was sent to Apple's service for production" },
  21008: { ...OUR_SERVER, means: "A receipt of production was sent to Apple's sandbox" },
  21009: { ...APPLES_SERVICE, means: "Apple's service had an internal error" },
  21010: {
    means: "Apple doesn't find the customer's account, or it was deleted",
    customer: "Apple couldn't find the account of this purchase. Please sign in to the App Store with the Apple Account that bought it, and tap Restore Purchases.",
    next: "Ask which Apple Account the customer uses in the App Store.",
  },
};

/** The kinds of products. */
export const PRODUCT_KINDS = {
  subscription: "Subscription", nonConsumable: "Non-consumable", nonRenewing: "Non-renewing subscription", freeSubscription: "Free subscription",
  consumable: "Consumable", unknown: "Unknown type",
};

/** Where an entitlement of another environment than production counts: after a state, and as a label. */
export const TEST_PLACES = { sandbox: [" in the sandbox", "Sandbox"], xcode: [" in Xcode", "Xcode"] };

/** The kinds of evidence, as nouns. */
export const EVIDENCE_KINDS = {
  receipt: "receipt", transactionReceipt: "transaction receipt", transaction: "transaction token", renewalInfo: "renewal information",
  notification: "notification",
};

/** The states of an entitlement: the words, the words before its end, the tone, and the position in the list. */
export const STATES = {
  active: { words: "Active", until: "Active until", tone: "good", rank: 0 },
  gracePeriod: { words: "In grace", until: "In grace until", tone: "warn", rank: 1 },
  owned: { words: "Owned", tone: "good", rank: 2 },
  renewalUnknown: { words: "Renewal unknown", tone: "warn", rank: 3 },
  billingRetry: { words: "Billing retry", tone: "warn", rank: 4 },
  notStarted: { words: "Not started", tone: "plain", rank: 5 },
  // Its end may be before the change, which the reason dates.
  upgraded: { words: "Upgraded", tone: "plain", rank: 6 },
  expired: { words: "Expired", until: "Expired", tone: "plain", rank: 7 },
  refunded: { words: "Refunded", until: "Refunded", tone: "bad", rank: 8 },
  revoked: { words: "Revoked", until: "Revoked", tone: "bad", rank: 9 },
};

/** Apple's names of a receipt's fields in answers of verifyReceipt, and the names of attributes that have none there. */
export const RECEIPT_FIELDS = {
  environment: "receipt_type", appStoreIdentifier: "adam_id", bundleIdentifier: "bundle_id",
  bundleIdentifierBytes: "bundle_id (bytes)", appVersion: "application_version", opaqueValue: "Opaque value",
  deviceHash: "Device hash (SHA-1)", transactionDate: "Transaction date", fulfillmentToolVersion: "Fulfillment tool version",
  ageRating: "Age rating", developerIdentifier: "Developer identifier", creationDate: "receipt_creation_date",
  operatingSystemVersion: "Operating system version", deviceModelCode: "Device model code",
  downloadIdentifier: "download_id", versionExternalIdentifier: "version_external_identifier",
  originalPurchaseDate: "original_purchase_date", originalAppVersion: "original_application_version",
  expirationDate: "expiration_date", volumePurchaseDate: "Volume purchase date",
  volumePurchaseClientName: "Volume purchase client", platformCode: "Platform code", preorderDate: "preorder_date",
};

/** The same for the fields of a purchase. */
export const PURCHASE_FIELDS = {
  quantity: "quantity", productIdentifier: "product_id", transactionIdentifier: "transaction_id",
  purchaseDate: "purchase_date", originalTransactionIdentifier: "original_transaction_id",
  originalPurchaseDate: "original_purchase_date", productType: "Product type", expirationDate: "expires_date",
  productStoreIdentifier: "Product store identifier", webOrderLineItemIdentifier: "web_order_line_item_id",
  cancellationDate: "cancellation_date", isTrialPeriod: "is_trial_period",
  isInIntroductoryOfferPeriod: "is_in_intro_offer_period", promotionalOfferIdentifier: "promotional_offer_id",
};

/** The countries whose code of two letters isn't the first two of three: both codes, together. */
const COUNTRIES = "ABWAW AGOAO ALAAX ANDAD AREAE ARMAM ATAAQ ATFTF ATGAG AUTAT BDIBI BENBJ BESBQ BGDBD BHSBS BIHBA BLRBY BLZBZ "
  + "BRBBB BRNBN CAFCF CHLCL CHNCN CODCD COGCG COKCK COMKM CPVCV CUWCW CYMKY DNKDK ESHEH ESTEE FLKFK FROFO FSMFM "
  + "GINGN GLPGP GNBGW GNQGQ GRDGD GRLGL GUFGF GUYGY IRLIE IRQIQ ISRIL JAMJM KAZKZ KORKR LBRLR LBYLY MACMO MAFMF "
  + "MDGMG MDVMV MEXMX MLTMT MNEME MNPMP MOZMZ MTQMQ MYTYT NIUNU PAKPK PCNPN PLWPW PNGPG POLPL PRKKP PRTPT PRYPY "
  + "PYFPF SENSN SGSGS SLBSB SLVSV SPMPM SRBRS SURSR SVKSK SVNSI SWESE SWZSZ SYCSC TCDTD TKMTM TUNTN TURTR TUVTV "
  + "UKRUA URYUY WLFWF";

/** The country of an App Store, such as "Germany (DEU)". Apple signs three letters; browsers have the names of two. */
export function storefrontName(code) {
  const text = written(code);
  if (!/^[A-Z]{3}$/.test(text)) return `App Store of ${text}`;
  const letters = COUNTRIES.split(" ").find((pair) => pair.startsWith(text))?.slice(3) ?? text.slice(0, 2);
  const name = new Intl.DisplayNames("en", { type: "region", fallback: "none" }).of(letters);
  return name ? `${name} (${text})` : `App Store of ${text}`;
}
