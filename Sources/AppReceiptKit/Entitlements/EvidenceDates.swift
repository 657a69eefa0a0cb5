import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// When the evidence of each original transaction was signed, and what its receipts show about later periods.
///
/// Separate from ``PurchaseLedger``, because only entitlements need it.
struct EvidenceDates {
    private let originals: [String: Original]

    /// The newest date of all evidence.
    private let newest: Date

    /// The evidence of an original transaction.
    private struct Original {
        /// The date the newest evidence was signed.
        var newest = Date.distantPast
        /// The last receipt that contains it. Most are in one receipt, which needs no array.
        private var last: Occurrence?
        private var earlier: [Occurrence] = []

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
        var originals = [String: Original](minimumCapacity: ledger.purchases.count)
        for (number, receipt) in ledger.receipts.enumerated() {
            for purchase in receipt.purchases {
                guard let original = ledger.original(of: purchase) else { continue }
                originals[original, default: Original()].add(purchase, in: number, created: receipt.creationDate)
            }
        }
        for transaction in ledger.transactions {
            guard let original = ledger.original(of: transaction.purchase) else { continue }
            let newest = originals[original]?.newest ?? .distantPast
            originals[original, default: Original()].newest = max(newest, transaction.signedDate)
        }
        for (original, renewal) in ledger.renewals {
            guard let newest = originals[original]?.newest else { continue }
            originals[original]?.newest = max(newest, renewal.signedDate)
        }
        self.originals = originals
        newest = originals.values.reduce(ledger.receipts.lazy.map(\.creationDate).max() ?? .distantPast) {
            max($0, $1.newest)
        }
    }

    /// Returns the date the newest evidence of an original transaction was signed; for nil, the newest date of all evidence.
    func asOf(_ original: String?) -> Date { original.flatMap { originals[$0]?.newest } ?? newest }

    /// Returns whether a receipt proves that no period followed: it contains the original transaction, was created after the period's
    /// end, and contains no later period.
    func isLastPeriod(start: Date, end: Date, of original: String) -> Bool {
        originals[original]?.contains { occurrence in
            occurrence.creationDate >= end && occurrence.lastStart.map { $0.wholeSeconds <= start.wholeSeconds } ?? true
        } == true
    }
}
