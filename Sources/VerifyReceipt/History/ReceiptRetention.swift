/// The receipts that a history needs to keep for an original transaction.
package enum ReceiptRetention {
    /// Returns the newest receipt, and those that are the newest to list a canceled transaction: a newer receipt that doesn't list the
    /// transaction doesn't clear its cancellation.
    ///
    /// A history that adds receipts one at a time never loses a cancellation. It may keep a cancellation that was cleared by a receipt
    /// it doesn't keep.
    ///
    /// - Parameters:
    ///   - receipts: Receipts that contain the original, in any order. Of equal ones, one is returned.
    ///   - original: The original transaction.
    package static func receiptsToKeep(from receipts: [ListedReceipt], for original: String) -> [ListedReceipt] {
        // By date, and at equal times by content, so that the order of arrival has no effect.
        let ordered = receipts.map { ($0, $0[original] ?? ListedReceipt.Transactions()) }.sorted { left, right in
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
