// The errors of parsing a transaction receipt, in the order of the checks. docs/errors.md is generated from them.

private let forged = "Apple never issued receipts in this form. Treat it as forged or damaged."

extension ReceiptError.Code {
    /// A transaction receipt is larger than the limit.
    public static let transactionReceiptTooLarge = Self(
        "transaction-receipt-too-large", .input,
        cause: "The transaction receipt is larger than the limit.",
        remedy: forged)

    /// A transaction receipt isn't a property list of strings.
    public static let transactionReceiptMalformed = Self(
        "transaction-receipt-malformed", .container,
        cause: "The transaction receipt isn't a property list of quoted strings.",
        remedy: forged)

    /// A key of a transaction receipt occurs twice.
    public static let transactionReceiptKeyDuplicate = Self(
        "transaction-receipt-key-duplicate", .container,
        cause: "A key of the transaction receipt occurs twice.",
        remedy: forged)

    /// A transaction receipt lacks its signature or its purchase info.
    public static let transactionReceiptIncomplete = Self(
        "transaction-receipt-incomplete", .container,
        cause: "The transaction receipt lacks its signature or its purchase info, or one of them isn't base64.",
        remedy: forged)

    /// The signature of a transaction receipt has an unknown version.
    public static let transactionReceiptVersionUnsupported = Self(
        "transaction-receipt-version-unsupported", .container,
        cause: "The signature of the transaction receipt has an unsupported version. Versions 2 and 3 are supported.",
        remedy: "Have the app send its app receipt instead, the file at `Bundle.appStoreReceiptURL`.")

    /// The signature of a transaction receipt is truncated or has trailing bytes.
    public static let transactionReceiptSignatureMalformed = Self(
        "transaction-receipt-signature-malformed", .container,
        cause: "The signature of the transaction receipt is truncated, or bytes follow its certificate.",
        remedy: forged)

    /// A date in a transaction receipt is missing or can't be read.
    public static let transactionReceiptDateMalformed = Self(
        "transaction-receipt-date-malformed", .payload,
        cause: "The purchase date of the transaction receipt is missing, or one of its dates can't be read.",
        remedy: forged)
}
