package import AppReceiptKit
package import Crypto

/// The receipts that a history needs to keep for an original transaction.
package enum ReceiptRetention {
    /// Returns the newest receipt, and those that are the newest to list a canceled transaction: a newer receipt that
    /// doesn't list the transaction doesn't clear its cancellation.
    ///
    /// A history that adds receipts one at a time never loses a cancellation. It may keep a cancellation that was
    /// cleared by a receipt it doesn't keep.
    ///
    /// - Parameters:
    ///   - receipts: Receipts that contain the original, in any order. Of equal ones, one is returned.
    ///   - original: The original transaction.
    package static func receiptsToKeep(from receipts: [ListedReceipt], for original: String) -> [ListedReceipt] {
        // By date, and at equal times by content, so that the order of arrival has no effect.
        let ordered = receipts.map { ($0, $0.transactions[original] ?? ListedReceipt.Transactions()) }.sorted {
            left, right in
            if left.0.receipt.creationDate != right.0.receipt.creationDate {
                return left.0.receipt.creationDate > right.0.receipt.creationDate
            }
            if left.1.canceled.count != right.1.canceled.count { return left.1.canceled.count > right.1.canceled.count }
            return right.0.digest.lexicographicallyPrecedes(left.0.digest)
        }
        var needed: [ListedReceipt] = []
        var listed: Set<String> = []
        for (receipt, transactions) in ordered where needed.last?.digest != receipt.digest {
            if needed.isEmpty || !transactions.canceled.isSubset(of: listed) { needed.append(receipt) }
            listed.formUnion(transactions.listed)
        }
        return needed
    }
}

extension ReceiptRetention {
    /// A receipt with its transactions by original transaction, which determine whether a history needs it.
    package struct ListedReceipt: Sendable {
        package let receipt: VerifiedReceipt

        /// The SHA-256 digest of the container without what isn't signed. Receipts with equal digests are equal.
        package let digest: SHA256.Digest

        /// The transactions of an original transaction.
        fileprivate struct Transactions: Sendable {
            var listed: Set<String> = []
            var canceled: Set<String> = []
        }

        fileprivate let transactions: [String: Transactions]

        package init(_ receipt: VerifiedReceipt) {
            self.receipt = receipt
            digest = SHA256.hash(data: receipt.strippedContainer())
            var transactions: [String: Transactions] = [:]
            for transaction in receipt.purchases.map({ AppStoreTransaction($0) }) {
                guard let original = transaction.original else { continue }
                let identifier = transaction.transactionIdentifier.map { [$0] } ?? []
                transactions[original, default: Transactions()].listed.formUnion(identifier)
                if transaction.cancellationDate != nil { transactions[original]?.canceled.formUnion(identifier) }
            }
            self.transactions = transactions
        }

        /// Whether the receipt contains a purchase of an original transaction.
        package func contains(_ original: String) -> Bool { transactions[original] != nil }

        /// Whether the receipt contains a canceled transaction of an original transaction.
        package func hasCancellation(of original: String) -> Bool { transactions[original]?.canceled.isEmpty == false }
    }
}
