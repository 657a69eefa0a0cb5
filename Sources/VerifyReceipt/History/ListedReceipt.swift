package import AppReceiptKit
package import Crypto

/// A receipt with its transactions by original transaction, which determine whether a history needs it.
package struct ListedReceipt: Sendable {
    package let receipt: VerifiedReceipt

    /// The SHA-256 digest of the container without what isn't signed. Receipts with equal digests are equal.
    package let digest: SHA256.Digest

    /// The transactions of an original transaction.
    struct Transactions: Sendable {
        var listed: Set<String> = []
        var canceled: Set<String> = []
    }

    private let transactions: [String: Transactions]

    package init(_ receipt: VerifiedReceipt) {
        self.receipt = receipt
        digest = SHA256.hash(data: receipt.strippedContainer())
        var transactions: [String: Transactions] = [:]
        for purchase in receipt.purchases.map({ Purchase($0) }) {
            guard let original = purchase.original else { continue }
            let identifier = purchase.transactionIdentifier.map { [$0] } ?? []
            transactions[original, default: Transactions()].listed.formUnion(identifier)
            if purchase.cancellationDate != nil { transactions[original]?.canceled.formUnion(identifier) }
        }
        self.transactions = transactions
    }

    /// The transactions of an original transaction; nil if the receipt contains none.
    subscript(original: String) -> Transactions? { transactions[original] }

    /// Whether the receipt contains a purchase of an original transaction.
    package func contains(_ original: String) -> Bool { transactions[original] != nil }

    /// Whether the receipt contains a canceled transaction of an original transaction.
    package func hasCancellation(of original: String) -> Bool { transactions[original]?.canceled.isEmpty == false }
}
