// Display names: kinds of data, checks, states of entitlements, and Apple's names of fields.

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

/** What a failure means for support, in plain words, by its code or its check. */
export const FAILURES = {
  "input-unrecognized": "Not a receipt: don't unlock",
  "token-unsigned": "Not signed by Apple: don't unlock",
  "response-without-receipt": "Only claims, without a receipt: don't unlock",
  container: "Not a readable receipt: don't unlock",
  token: "Not a readable token: don't unlock",
  payload: "The contents can't be read: don't unlock",
  "root-not-trusted": "Not signed under a root that is trusted here: don't unlock",
  "certificate-chain": "The certificates don't prove who signed it: don't unlock",
  signature: "Changed since it was signed, or forged: don't unlock",
  "bundle-identifier-missing": "It names no app: don't unlock",
  "bundle-identifier": "For another app: don't unlock",
  "environment-missing": "It names no environment: don't unlock",
  "environment-unknown": "From an unknown environment: don't unlock",
  environment: "From another environment: don't unlock",
  "app-version-missing": "It names no version of the app: don't unlock",
  "app-version": "For another version of the app: don't unlock",
  "original-app-version-missing": "It doesn't name the version first bought: don't unlock",
  "original-app-version": "First bought as another version: don't unlock",
  "app-apple-id-missing": "It has no app identifier: don't unlock",
  "app-apple-id-unspecified": "Not compared with an app identifier: don't unlock",
  "app-apple-id": "For another app: don't unlock",
  "device-hash-missing": "It names no device: don't unlock",
  "device-hash-inputs-missing": "The device can't be compared: don't unlock",
  "device-identifier-missing": "The device can't be compared: don't unlock",
  "device-identifier-unsupported": "The device can't be compared: don't unlock",
  "device-identifier-malformed": "The device can't be compared: don't unlock",
  "device-verification-missing": "It names no device: don't unlock",
  "device-hash": "For another device: don't unlock",
  "device-verification": "For another device: don't unlock",
  expiration: "Expired: don't unlock",
  "nested-data": "The data inside it isn't valid: don't unlock",
};

/** What to tell the customer about a failure, by its code or its check. */
const RESEND = "We can't read the receipt that we received. Please copy the whole receipt again, or open the app and tap Restore Purchases.";
const UNPROVEN = "We can't verify this purchase with Apple. Please open the app from the App Store and tap Restore Purchases.";
const OTHER_APP = "This receipt is for another app. Please send the one for ours: open the app and tap Restore Purchases.";
export const FOR_CUSTOMER = {
  container: RESEND, token: RESEND, payload: RESEND, "token-unsigned": UNPROVEN, signature: UNPROVEN, "certificate-chain": UNPROVEN, "nested-data": UNPROVEN,
  "input-unrecognized": "We couldn't find a receipt in your message. Please open the app and tap Restore Purchases. If that doesn't help, forward us Apple's mail about the purchase.",
  "response-without-receipt": "We need the receipt itself. Please open the app and tap Restore Purchases, or forward us Apple's mail about the purchase.",
  "bundle-identifier": OTHER_APP, "app-apple-id": OTHER_APP,
  environment: "This purchase was made in a test version of the app. Please restore your purchases in the version from the App Store.",
  "device-hash": "This receipt is for another device. Please tap Restore Purchases on this one.",
  "device-verification": "This receipt is for another device. Please tap Restore Purchases on this one.",
  expiration: "This receipt has expired. Please open the app and tap Restore Purchases.",
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
