import AppReceiptFoundation
import AppReceiptSupport

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
        var newest = Date.distantPast
        /// The receipts that contain it.
        var receipts: [Receipt] = []

        /// Adds a transaction in a receipt. All of a receipt must be added before another one.
        mutating func add(_ transaction: AppStoreTransaction, in number: Int, created creationDate: Date) {
            if receipts.last?.number != number {
                receipts.append(Receipt(number: number, creationDate: creationDate))
                newest = max(newest, creationDate)
            }
            // A copy that was restored after the end of its period isn't a later period.
            guard transaction.isSubscriptionPeriod, let start = transaction.purchaseDate,
                !transaction.isRestoredAfterEnd
            else { return }
            receipts[receipts.count - 1].lastStart = max(receipts[receipts.count - 1].lastStart ?? start, start)
        }
    }

    /// A receipt that contains an original transaction.
    private struct Receipt {
        /// The position of the receipt in the evidence.
        let number: Int
        let creationDate: Date
        /// The start of the last period in the receipt, nil if it contains none.
        var lastStart: Date?
    }

    init(_ ledger: PurchaseLedger) {
        newest = ledger.newestSignedDate ?? .distantPast
        originals.reserveCapacity(ledger.originals.count)
        for (number, receipt) in ledger.receipts.enumerated() {
            for transaction in receipt.transactions {
                guard let original = ledger.original(of: transaction) else { continue }
                originals[original, default: Original()].add(transaction, in: number, created: receipt.creationDate)
            }
        }
        for evidence in ledger.signedTransactions {
            guard let original = ledger.original(of: evidence.transaction) else { continue }
            let known = originals[original]?.newest ?? .distantPast
            originals[original, default: Original()].newest = max(known, evidence.signedDate)
        }
        for (original, renewal) in ledger.renewals {
            guard let known = originals[original]?.newest else { continue }
            originals[original]?.newest = max(known, renewal.signedDate)
        }
    }

    /// Returns the date the newest evidence of an original transaction was signed; for nil, the newest date of all
    /// evidence.
    func asOf(_ original: String?) -> Date { original.flatMap { originals[$0]?.newest } ?? newest }

    /// Returns whether a receipt proves that no period followed (rule 6 of WhatACustomerOwns): it contains the original
    /// transaction, was created after the period's end, and contains no later period. Newer renewal information that
    /// says that the subscription renews refutes it.
    func isLastPeriod(_ period: Subscription.Period, of original: String, renewal: RenewalEvidence?) -> Bool {
        guard let receipts = originals[original]?.receipts else { return false }
        return receipts.contains { receipt in
            if let date = renewal?.renewalInformationDate, date > receipt.creationDate, renewal?.willRenew == true {
                return false
            }
            return receipt.creationDate >= period.expiration
                && receipt.lastStart.map { $0.wholeSeconds <= period.start.wholeSeconds } ?? true
        }
    }
}
