public import AppReceiptKit

// Every way in which a request or a receipt from before iOS 7 can fail, in the order of the checks. docs/errors.md lists
// the same and a test holds the two together.

private let forged = "A genuine receipt never has this form; treat it as forged or damaged."

extension ReceiptError.Code {
    // MARK: The request

    /// The body of a verifyReceipt request is larger than the limits allow.
    public static let requestTooLarge = Self(
        "request-too-large", .input,
        cause: "The request is larger than the limit.",
        remedy: "Check that this is a request with one receipt; if so large a receipt is expected, raise the limit.")

    /// The body of a verifyReceipt request is no JSON object.
    public static let requestMalformed = Self(
        "request-malformed", .input,
        cause: "The request is not one JSON object in UTF-8.",
        remedy: "Send {\"receipt-data\": \"…\"} as JSON in the body of a POST, not as a form.")

    /// A member of a verifyReceipt request occurs twice.
    public static let requestMemberDuplicate = Self(
        "request-member-duplicate", .input,
        cause: "A member of the request occurs twice.",
        remedy: "Send each member once: readers differ in which of the two they take.")

    /// A member of a verifyReceipt request has the wrong type.
    public static let requestMemberMistyped = Self(
        "request-member-mistyped", .input,
        cause: "A member of the request has a type that it must not have.",
        remedy: "Send 'password' as a string and 'exclude-old-transactions' as true or false.")

    /// A verifyReceipt request lacks the receipt.
    public static let receiptDataMissing = Self(
        "receipt-data-missing", .input,
        cause: "The request has no member 'receipt-data'.",
        remedy: "Send the receipt in base64 as 'receipt-data'; the name has a hyphen.")

    /// The receipt in a verifyReceipt request is no string.
    public static let receiptDataMistyped = Self(
        "receipt-data-mistyped", .input,
        cause: "The member 'receipt-data' is not a string.",
        remedy: "Send the receipt in base64 as a string.")

    /// The receipt is not from production, which is answered.
    public static let sandboxReceiptInProduction = Self(
        "sandbox-receipt-in-production", .environment,
        cause: "The receipt does not come from production.",
        remedy:
            "Ask the responder for the sandbox, or one for both: App Review runs the production app against the sandbox."
    )

    /// The receipt is from production, and the sandbox is answered.
    public static let productionReceiptInSandbox = Self(
        "production-receipt-in-sandbox", .environment,
        cause: "The receipt comes from production.",
        remedy: "Ask the responder for production, or one for both.")

    /// A verifyReceipt request lacks the shared secret.
    public static let sharedSecretMissing = Self(
        "shared-secret-missing", .input,
        cause: "The request has no password, and a shared secret is asked for.",
        remedy: "Send the shared secret as 'password' in every request.")

    /// The password of a verifyReceipt request is not the shared secret.
    public static let sharedSecretMismatch = Self(
        "shared-secret-mismatch", .input,
        cause: "The password of the request is not the shared secret.",
        remedy: "Use the same secret in the client and here, without blanks or line breaks around it.")

    // MARK: Transaction receipts from before iOS 7

    /// A transaction receipt from before iOS 7 is larger than any genuine one.
    public static let transactionReceiptTooLarge = Self(
        "transaction-receipt-too-large", .input,
        cause: "The transaction receipt is larger than any genuine one.",
        remedy: forged)

    /// A transaction receipt from before iOS 7 is no property list of strings.
    public static let transactionReceiptMalformed = Self(
        "transaction-receipt-malformed", .container,
        cause: "The transaction receipt is not a property list of quoted strings.",
        remedy: forged)

    /// A key of a transaction receipt from before iOS 7 occurs twice.
    public static let transactionReceiptKeyDuplicate = Self(
        "transaction-receipt-key-duplicate", .container,
        cause: "A key of the transaction receipt occurs twice.",
        remedy: forged)

    /// A transaction receipt from before iOS 7 lacks its signature or its purchase info.
    public static let transactionReceiptIncomplete = Self(
        "transaction-receipt-incomplete", .container,
        cause: "The transaction receipt lacks its signature or its purchase info, or one of them is not base64.",
        remedy: forged)

    /// The signature of a transaction receipt from before iOS 7 has a version that is not known.
    public static let transactionReceiptVersionUnsupported = Self(
        "transaction-receipt-version-unsupported", .container,
        cause: "The signature of the transaction receipt has a version other than 2, the only one known.",
        remedy: "Have the app send its app receipt instead, the file that Bundle.appStoreReceiptURL names.")

    /// The signature of a transaction receipt from before iOS 7 is cut or has something left over.
    public static let transactionReceiptSignatureMalformed = Self(
        "transaction-receipt-signature-malformed", .container,
        cause: "The signature of the transaction receipt is cut, or something follows its certificate.",
        remedy: forged)

    /// A date in a transaction receipt from before iOS 7 is missing or cannot be read.
    public static let transactionReceiptDateMalformed = Self(
        "transaction-receipt-date-malformed", .payload,
        cause: "The purchase date of the transaction receipt is missing, or one of its dates cannot be read.",
        remedy: forged)

    /// Nobody named the intermediate that issued the signer of a transaction receipt from before iOS 7.
    public static let transactionReceiptIntermediateMissing = Self(
        "transaction-receipt-intermediate-missing", .certificateChain,
        cause: "The intermediate that issued the certificate of the transaction receipt's signer was not named.",
        remedy:
            "Transaction receipts do not carry it. Name the certificate 'Apple iTunes Store Certification Authority', or have the app send its app receipt instead."
    )

    /// The certificate of the signer of a transaction receipt from before iOS 7 lacks Apple's marker.
    public static let transactionReceiptMarkerMissing = Self(
        "transaction-receipt-marker-missing", .certificateChain,
        cause: "The certificate of the transaction receipt's signer lacks Apple's marker 1.2.840.113635.100.6.5.1.",
        remedy: forged)

    /// The signer of a transaction receipt from before iOS 7 has a key that is not accepted.
    public static let transactionReceiptKeyUnfit = Self(
        "transaction-receipt-key-unfit", .certificateChain,
        cause: "The transaction receipt's signer has a key other than RSA of 1024 to 8192 bits, or a small exponent.",
        remedy: forged)

    /// The subscription in a transaction receipt from before iOS 7 has ended.
    public static let transactionReceiptSubscriptionExpired = Self(
        "transaction-receipt-subscription-expired", .expiration,
        cause: "The subscription in the transaction receipt has ended, unless it was renewed since.",
        remedy: "Ask the app for its app receipt, which holds the renewals.")

    /// Every code that answering verifyReceipt requests can give besides those of reading and verifying receipts.
    package static let verifyReceiptCodes: [Self] = [
        .requestTooLarge, .requestMalformed, .requestMemberDuplicate, .requestMemberMistyped, .receiptDataMissing,
        .receiptDataMistyped, .sandboxReceiptInProduction, .productionReceiptInSandbox, .sharedSecretMissing,
        .sharedSecretMismatch, .transactionReceiptTooLarge,
        .transactionReceiptMalformed, .transactionReceiptKeyDuplicate, .transactionReceiptIncomplete,
        .transactionReceiptVersionUnsupported, .transactionReceiptSignatureMalformed, .transactionReceiptDateMalformed,
        .transactionReceiptIntermediateMissing, .transactionReceiptMarkerMissing, .transactionReceiptKeyUnfit,
        .transactionReceiptSubscriptionExpired,
    ]
}
