public import AppReceiptParsing

// The errors of a transaction receipt's chain. docs/errors.md is generated from them.

private let forged = "Apple never issued receipts in this form. Treat it as forged or damaged."

extension ReceiptError.Code {
    /// The intermediate that issued the signer of a transaction receipt isn't known.
    public static let transactionReceiptIntermediateMissing = Self(
        "transaction-receipt-intermediate-missing", .certificateChain,
        cause:
            "The intermediate that issued the certificate of the transaction receipt's signer isn't known.",
        remedy:
            "Apple's intermediates are known, so treat it as forged, unless it is test data: then pass the intermediate of the test certificates."
    )

    /// The certificate of the signer of a transaction receipt lacks Apple's marker.
    public static let transactionReceiptMarkerMissing = Self(
        "transaction-receipt-marker-missing", .certificateChain,
        cause:
            "The certificate of the transaction receipt's signer lacks Apple's marker: 1.2.840.113635.100.6.5.1 for version 2, 1.2.840.113635.100.6.11.1 for version 3.",
        remedy: forged)

    /// The signer of a transaction receipt has an unsupported key.
    public static let transactionReceiptKeyUnfit = Self(
        "transaction-receipt-key-unfit", .certificateChain,
        cause: "The transaction receipt's signer has a key other than RSA of 1024 to 8192 bits, or a small exponent.",
        remedy: forged)
}
