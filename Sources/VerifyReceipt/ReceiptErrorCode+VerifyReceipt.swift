public import AppReceiptKit

// The errors of verifyReceipt requests, in the order of the checks.
// docs/errors.md is generated from them.

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

    /// The request contains several receipts.
    public static let receiptDataAmbiguous = Self(
        "receipt-data-ambiguous", .input,
        cause: "The request contains several receipts.",
        remedy: "Send one receipt as 'receipt-data'.")

    /// The tokens in a request are of different apps or environments.
    public static let signedTransactionsMixed = Self(
        "signed-transactions-mixed", .input,
        cause: "The signed transactions in the request are of different apps or environments.",
        remedy: "Send the transactions of one app and environment in a request.")

    /// The tokens in a request contain no transaction.
    public static let signedTransactionMissing = Self(
        "signed-transaction-missing", .input,
        cause: "The request contains neither a signed transaction nor an app transaction.",
        remedy: "Send jwsRepresentation of a transaction: its number, or renewal information alone, proves no purchase."
    )

    /// The receipt isn't from production, and only production is accepted.
    public static let sandboxReceiptInProduction = Self(
        "sandbox-receipt-in-production", .environment,
        cause: "The receipt isn't from production.",
        remedy:
            "Use a responder for the sandbox or for both environments: App Review uses the production app with the sandbox. Only one for the sandbox accepts a receipt from Xcode."
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

    // MARK: Transaction receipts

    /// The subscription in a transaction receipt has ended.
    public static let transactionReceiptSubscriptionExpired = Self(
        "transaction-receipt-subscription-expired", .expiration,
        cause: "The subscription in the transaction receipt has ended, unless it was renewed since.",
        remedy: "Request the app receipt from the app, which contains the renewals.")
}
