import AppReceiptKit
import AppStoreSignedData

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
    func containsNothing(but originals: Set<String>) -> Bool {
        purchases.allSatisfy { $0.original.map(originals.contains) ?? false }
    }
}
