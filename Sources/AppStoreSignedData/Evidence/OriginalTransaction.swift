package import AppReceiptKit

// The identity of evidence (rule 1) is the original transaction, which all transactions of a purchase share.

extension VerifiedReceipt {
    /// The original transactions of the purchases in the receipt.
    package var originals: Set<String> { Set(purchases.compactMap(\.original)) }

    /// Whether a purchase in the receipt has an original transaction.
    package var hasOriginals: Bool { purchases.contains { $0.original != nil } }

    /// Whether the receipt contains a purchase with one of these original transactions.
    package func contains(anyOf originals: Set<String>) -> Bool {
        purchases.contains { $0.original.map(originals.contains) ?? false }
    }

    /// Whether every purchase in the receipt has one of these original transactions. A purchase without identifiers doesn't.
    package func containsNothing(but originals: Set<String>) -> Bool {
        purchases.allSatisfy { $0.original.map(originals.contains) ?? false }
    }
}

extension VerifiedTransaction {
    /// The original transaction; the transaction itself if it doesn't name one.
    package var original: String? { claims.originalTransactionIdentifier ?? claims.transactionIdentifier }
}

extension VerifiedRenewalInfo {
    /// The original transaction.
    package var original: String? { claims.originalTransactionIdentifier }
}

extension VerifiedNotification {
    /// The original transaction of the subscription or purchase.
    package var original: String? { transaction?.claims.originalTransactionIdentifier ?? renewalInfo?.original }
}
