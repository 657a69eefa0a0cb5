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
    /// The evidence of each original transaction.
    private var originals: [String: Original] = [:]

    /// The newest date of all evidence.
    private let newest: Date

    /// The evidence of an original transaction.
    private struct Original {
        /// The date the newest evidence was signed.
        var newest: Date
        /// The receipts that contain it.
        var receipts: [Receipt] = []
    }

    /// A receipt that contains an original transaction.
    private struct Receipt {
        let creationDate: Date
        /// The start of the last period in the receipt, nil if it contains none.
        var lastStart: Date?
    }

    init(_ ledger: PurchaseLedger) {
        newest = ledger.newestSignedDate ?? .distantPast
        originals.reserveCapacity(ledger.purchases.count)
        for receipt in ledger.receipts {
            var lastStarts: [String: Date?] = [:]
            for purchase in receipt.purchases {
                guard let original = ledger.original(of: purchase) else { continue }
                // A copy that was restored after the end of its period isn't a later period.
                let start = purchase.isSubscriptionPeriod && !purchase.isRestoredAfterEnd ? purchase.purchaseDate : nil
                lastStarts[original] = .some([lastStarts[original] ?? nil, start].compactMap { $0 }.max())
            }
            for (original, lastStart) in lastStarts {
                add(original, signed: receipt.creationDate)
                originals[original]?.receipts.append(
                    Receipt(creationDate: receipt.creationDate, lastStart: lastStart))
            }
        }
        for transaction in ledger.transactions {
            guard let original = ledger.original(of: transaction.purchase) else { continue }
            add(original, signed: transaction.signedDate)
        }
        for (original, renewal) in ledger.renewals where originals[original] != nil {
            add(original, signed: renewal.signedDate)
        }
    }

    private mutating func add(_ original: String, signed date: Date) {
        originals[original, default: Original(newest: date)].newest = max(originals[original]?.newest ?? date, date)
    }

    /// Returns the date the newest evidence of an original transaction was signed; for nil, the newest date of all evidence.
    func asOf(_ original: String?) -> Date { original.flatMap { originals[$0]?.newest } ?? newest }

    /// Returns whether a receipt proves that no period followed (rule 6): it contains the original transaction, was created after the period's
    /// end, and contains no later period. Newer renewal information that says that the subscription renews refutes it.
    func isLastPeriod(_ period: Subscription.Period, of original: String, renewal: RenewalEvidence?) -> Bool {
        guard let receipts = originals[original]?.receipts else { return false }
        return receipts.contains { receipt in
            if let renewal, renewal.signedDate > receipt.creationDate, renewal.willRenew == true { return false }
            return receipt.creationDate >= period.expiration
                && receipt.lastStart.map { $0.wholeSeconds <= period.start.wholeSeconds } ?? true
        }
    }
}
