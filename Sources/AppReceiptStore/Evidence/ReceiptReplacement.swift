#if Server
import AppReceiptKit
import AppStoreSignedData

/// A receipt that is stored for an original transaction, as its row claims.
struct AssignedReceipt: Sendable, Hashable {
    let original: String
    /// The number of the receipt's row.
    let number: Int64
    let created: Int64
    /// Whether it contains a canceled transaction of the original transaction.
    let hasCancellation: Bool
}

/// The replacement of stored receipts by a verified one, for each of its original transactions.
struct ReceiptReplacement: Sendable {
    let receipt: VerifiedReceipt
    let row: ReceiptRow
    /// The original transactions in the receipt, in order.
    let allOriginals: [String]
    /// Those for which it may be stored.
    private(set) var originals: [String]
    /// Whether the receipt is small enough to be stored. Otherwise, its purchases are only bound to the account.
    let isStored: Bool
    /// The receipts that are stored for any of the original transactions.
    var stored: [AssignedReceipt] = []

    /// Creates the replacement without what is stored; nil if nothing about the receipt is.
    init?(_ receipt: VerifiedReceipt, limits: StoreLimits) {
        allOriginals = receipt.originals.filter(\.isStorable).sorted()
        originals = allOriginals
        guard let row = ReceiptRow(receipt), !originals.isEmpty else { return nil }
        self.receipt = receipt
        self.row = row
        isStored = row.der.count <= limits.maxReceiptBytes
    }

    /// Has the receipt stored for some of its original transactions only.
    mutating func restrict(to originals: [String]) { self.originals = originals }

    /// The transactions of the purchases that aren't original ones, with their original transactions.
    var listedTransactions: [(identifier: String, original: String)] {
        let originals = Set(originals)
        return receipt.listedTransactions.filter { originals.contains($0.original) }
    }

    /// The purchases in the receipt.
    var purchases: [ScopedOriginal] {
        originals.map { ScopedOriginal(scope: row.scope, originalTransactionIdentifier: $0) }
    }

    /// The original transactions for which the receipt is stored, and the receipts that are stored no longer.
    struct Result: Sendable, Hashable {
        /// The original transactions that need the receipt and didn't have it.
        var added: [Addition] = []
        var removed: [AssignedReceipt] = []

        /// Whether nothing changes.
        var isEmpty: Bool { added.isEmpty && removed.isEmpty }
    }

    /// An original transaction for which the receipt is stored.
    struct Addition: Sendable, Hashable {
        let original: String
        /// Whether the receipt contains a canceled transaction of the original transaction.
        let hasCancellation: Bool
    }

    /// The numbers of the receipts whose contents decide.
    var numbersToRead: Set<Int64> { Set(stored.filter(isDecisive).map(\.number)) }

    /// Whether the contents of a receipt decide: an older one without cancellations is superseded anyway.
    private func isDecisive(_ other: AssignedReceipt) -> Bool { other.created >= row.created || other.hasCancellation }

    /// Determines what changes.
    ///
    /// - Parameters:
    ///   - rows: The rows of the receipts in ``numbersToRead``, by number.
    ///   - verifier: Verifies them.
    func result(reading rows: [Int64: ReceiptRow], by verifier: StoredEvidenceVerifier) -> Result {
        let new = ReceiptRetention.ListedReceipt(receipt)
        let verified = rows.compactMapValues { row in
            row.verified(by: verifier).map { ReceiptRetention.ListedReceipt($0) }
        }
        let stored = Dictionary(grouping: stored, by: \.original)
        var result = Result()
        for original in originals {
            var known: [(assigned: AssignedReceipt, receipt: ReceiptRetention.ListedReceipt)] = []
            for other in stored[original] ?? [] {
                if isDecisive(other), let receipt = verified[other.number], receipt.contains(original) {
                    known.append((other, receipt))
                } else if !other.hasCancellation
                    || rows[other.number]?.isUntrustedRevocation(ofAny: [original], by: verifier) != true
                {
                    // An untrusted cancellation stays until the operator decides.
                    result.removed.append(other)
                }
            }
            guard !known.contains(where: { $0.receipt.digest == new.digest }) else { continue }
            let needed = ReceiptRetention.receiptsToKeep(from: known.map(\.receipt) + [new], for: original)
                .map(\.digest)
            result.removed += known.filter { !needed.contains($0.receipt.digest) }.map(\.assigned)
            if needed.contains(new.digest) {
                result.added.append(
                    Addition(original: original, hasCancellation: new.hasCancellation(of: original)))
            }
        }
        return result
    }
}
#endif
