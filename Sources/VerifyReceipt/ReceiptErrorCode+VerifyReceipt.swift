public import AppReceiptKit

// The errors of verifyReceipt requests and transaction receipts from before iOS 7, in the order of the checks.
// docs/errors.md is generated from them.

private let forged = "Apple never issued receipts in this form. Treat it as forged or damaged."

extension ReceiptError.Code {
    // MARK: The request

    /// The body of a verifyReceipt request is larger than the limit.
    public static let requestTooLarge = Self(
        "request-too-large", .input,
        cause: "The request is larger than the limit.",
        remedy:
            "Check that this is a request with one receipt. If you expect receipts of this size, raise `ReceiptLimits.maxInputBytes`."
    )

    /// The body of a verifyReceipt request isn't a JSON object.
    public static let requestMalformed = Self(
        "request-malformed", .input,
        cause: "The request isn't a JSON object in UTF-8.",
        remedy: "Pass a JSON object in UTF-8 with the member 'receipt-data'.")

    /// A member of a verifyReceipt request occurs twice.
    public static let requestMemberDuplicate = Self(
        "request-member-duplicate", .input,
        cause: "A member of the request occurs twice.",
        remedy: "Send each member once: JSON parsers differ in which of two they use.")

    /// A member of a verifyReceipt request has the wrong type.
    public static let requestMemberMistyped = Self(
        "request-member-mistyped", .input,
        cause: "A member of the request has the wrong type.",
        remedy: "Send 'password' as a string and 'exclude-old-transactions' as true or false.")

    /// A verifyReceipt request lacks the receipt.
    public static let receiptDataMissing = Self(
        "receipt-data-missing", .input,
        cause: "The request has no member 'receipt-data'.",
        remedy: "Send the receipt in base64 as 'receipt-data'; the name has a hyphen.")

    /// The receipt in a verifyReceipt request isn't a string.
    public static let receiptDataMistyped = Self(
        "receipt-data-mistyped", .input,
        cause: "The member 'receipt-data' isn't a string.",
        remedy: "Send the receipt in base64 as a string.")

    /// The receipt isn't from production, and only production is accepted.
    public static let sandboxReceiptInProduction = Self(
        "sandbox-receipt-in-production", .environment,
        cause: "The receipt isn't from production.",
        remedy:
            "Use a responder for the sandbox or for both environments: App Review uses the production app with the sandbox."
    )

    /// The receipt is from production, and only the sandbox is accepted.
    public static let productionReceiptInSandbox = Self(
        "production-receipt-in-sandbox", .environment,
        cause: "The receipt is from production.",
        remedy: "Use a responder for production or for both environments.")

    /// A verifyReceipt request lacks the shared secret.
    public static let sharedSecretMissing = Self(
        "shared-secret-missing", .input,
        cause: "The request has no password, and a shared secret is required.",
        remedy: "Send the shared secret as 'password' in every request.")

    /// The password of a verifyReceipt request isn't the shared secret.
    public static let sharedSecretMismatch = Self(
        "shared-secret-mismatch", .input,
        cause: "The password of the request isn't the shared secret.",
        remedy: "Use the same secret in the client and the responder, without spaces or line breaks around it.")

    // MARK: Transaction receipts from before iOS 7

    /// A transaction receipt from before iOS 7 is larger than the limit.
    public static let transactionReceiptTooLarge = Self(
        "transaction-receipt-too-large", .input,
        cause: "The transaction receipt is larger than the limit.",
        remedy: forged)

    /// A transaction receipt from before iOS 7 isn't a property list of strings.
    public static let transactionReceiptMalformed = Self(
        "transaction-receipt-malformed", .container,
        cause: "The transaction receipt isn't a property list of quoted strings.",
        remedy: forged)

    /// A key of a transaction receipt from before iOS 7 occurs twice.
    public static let transactionReceiptKeyDuplicate = Self(
        "transaction-receipt-key-duplicate", .container,
        cause: "A key of the transaction receipt occurs twice.",
        remedy: forged)

    /// A transaction receipt from before iOS 7 lacks its signature or its purchase info.
    public static let transactionReceiptIncomplete = Self(
        "transaction-receipt-incomplete", .container,
        cause: "The transaction receipt lacks its signature or its purchase info, or one of them isn't base64.",
        remedy: forged)

    /// The signature of a transaction receipt from before iOS 7 has an unknown version.
    public static let transactionReceiptVersionUnsupported = Self(
        "transaction-receipt-version-unsupported", .container,
        cause: "The signature of the transaction receipt has an unsupported version. Only version 2 is supported.",
        remedy: "Have the app send its app receipt instead, the file at `Bundle.appStoreReceiptURL`.")

    /// The signature of a transaction receipt from before iOS 7 is truncated or has trailing bytes.
    public static let transactionReceiptSignatureMalformed = Self(
        "transaction-receipt-signature-malformed", .container,
        cause: "The signature of the transaction receipt is truncated, or bytes follow its certificate.",
        remedy: forged)

    /// A date in a transaction receipt from before iOS 7 is missing or can't be read.
    public static let transactionReceiptDateMalformed = Self(
        "transaction-receipt-date-malformed", .payload,
        cause: "The purchase date of the transaction receipt is missing, or one of its dates can't be read.",
        remedy: forged)

    /// The intermediate that issued the signer of a transaction receipt from before iOS 7 isn't trusted.
    public static let transactionReceiptIntermediateMissing = Self(
        "transaction-receipt-intermediate-missing", .certificateChain,
        cause:
            "The intermediate that issued the certificate of the transaction receipt's signer isn't among the trusted ones.",
        remedy:
            "Transaction receipts don't contain it. Trust the certificate 'Apple iTunes Store Certification Authority', or have the app send its app receipt instead."
    )

    /// The certificate of the signer of a transaction receipt from before iOS 7 lacks Apple's marker.
    public static let transactionReceiptMarkerMissing = Self(
        "transaction-receipt-marker-missing", .certificateChain,
        cause: "The certificate of the transaction receipt's signer lacks Apple's marker 1.2.840.113635.100.6.5.1.",
        remedy: forged)

    /// The signer of a transaction receipt from before iOS 7 has an unsupported key.
    public static let transactionReceiptKeyUnfit = Self(
        "transaction-receipt-key-unfit", .certificateChain,
        cause: "The transaction receipt's signer has a key other than RSA of 1024 to 8192 bits, or a small exponent.",
        remedy: forged)

    /// The subscription in a transaction receipt from before iOS 7 has ended.
    public static let transactionReceiptSubscriptionExpired = Self(
        "transaction-receipt-subscription-expired", .expiration,
        cause: "The subscription in the transaction receipt has ended, unless it was renewed since.",
        remedy: "Request the app receipt from the app, which contains the renewals.")

    /// The codes of responding to verifyReceipt requests, in addition to those of reading and verifying receipts.
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
