import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The dates of the evidence for each original transaction, and the last periods that its receipts contain.
///
/// Separate from ``PurchaseLedger``, because only entitlements need it.
struct EvidenceDates {
    private var originals: [Original] = []

    /// The index of each original transaction in `originals`.
    private var indices: [String: Int]

    /// The newest date of all evidence.
    private var newest: Date

    /// The evidence of an original transaction.
    private struct Original {
        let identifier: String
        /// The date the newest evidence was signed.
        var newest = Date.distantPast
        /// The last receipt that contains it. Most are in one receipt, which needs no array.
        private var last: Occurrence?
        private var earlier: [Occurrence] = []

        init(identifier: String) { self.identifier = identifier }

        /// Adds a purchase in a receipt. All of a receipt must be added before another one.
        mutating func add(_ purchase: Purchase, in receipt: Int, created creationDate: Date) {
            if last?.receipt != receipt {
                if let last { earlier.append(last) }
                last = Occurrence(receipt: receipt, creationDate: creationDate)
                newest = max(newest, creationDate)
            }
            last?.add(purchase)
        }

        /// Whether a receipt that contains it meets a condition.
        func contains(where condition: (Occurrence) -> Bool) -> Bool {
            last.map(condition) == true || earlier.contains(where: condition)
        }
    }

    /// A receipt that contains an original transaction.
    private struct Occurrence {
        /// The position of the receipt in the evidence.
        let receipt: Int
        let creationDate: Date
        /// The start of the last period in the receipt, nil if it contains none.
        private(set) var lastStart: Date?

        init(receipt: Int, creationDate: Date) {
            self.receipt = receipt
            self.creationDate = creationDate
        }

        mutating func add(_ purchase: Purchase) {
            // A copy that was restored after the end of its period isn't a later period.
            guard purchase.isSubscriptionPeriod, let start = purchase.purchaseDate,
                start <= purchase.expirationDate ?? start
            else { return }
            lastStart = max(lastStart ?? start, start)
        }
    }

    init(_ ledger: PurchaseLedger) {
        indices = Dictionary(minimumCapacity: ledger.purchases.count)
        newest = ledger.receipts.lazy.map(\.creationDate).max() ?? .distantPast
        for (number, receipt) in ledger.receipts.enumerated() {
            for purchase in receipt.purchases {
                guard let original = ledger.original(of: purchase) else { continue }
                let index = index(adding: original)
                originals[index].add(purchase, in: number, created: receipt.creationDate)
            }
        }
        for transaction in ledger.transactions {
            guard let original = ledger.original(of: transaction.purchase) else { continue }
            let index = index(adding: original)
            originals[index].newest = max(originals[index].newest, transaction.signedDate)
        }
        for (original, renewal) in ledger.renewals {
            guard let index = indices[original] else { continue }
            originals[index].newest = max(originals[index].newest, renewal.signedDate)
        }
        newest = originals.reduce(newest) { max($0, $1.newest) }
    }

    /// Returns the index of an original transaction, which is added if it is new.
    private mutating func index(adding original: String) -> Int {
        // Most renewals follow each other, and comparing an identifier takes less time than hashing it.
        if let last = originals.indices.last, originals[last].identifier == original { return last }
        let index = indices[original, default: originals.count]
        if index == originals.count {
            indices[original] = index
            originals.append(Original(identifier: original))
        }
        return index
    }

    /// Returns the date the newest evidence of an original transaction was signed; for nil, the newest date of all evidence.
    func asOf(_ original: String?) -> Date { original.flatMap { indices[$0] }.map { originals[$0].newest } ?? newest }

    /// Returns whether a receipt proves that no period followed: it contains the original transaction, was created after the period's
    /// end, and contains no later period.
    func isLastPeriod(start: Date, end: Date, of original: String) -> Bool {
        guard let index = indices[original] else { return false }
        return originals[index].contains { occurrence in
            occurrence.creationDate >= end && occurrence.lastStart.map { $0.wholeSeconds <= start.wholeSeconds } ?? true
        }
    }
}
