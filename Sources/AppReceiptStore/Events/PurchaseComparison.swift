#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// Compares purchases with what was reported of them, so that nothing is reported twice, in any order of arrival.
///
/// An engine reads the evidence of one part after another. If that of a part can't be read, its halves are parts: one
/// purchase doesn't hide the changes of others.
struct PurchaseComparison: Sendable {
    /// Purchases of one app and environment.
    struct Part: Sendable {
        let scope: AppScope
        fileprivate(set) var purchases: [StoredPurchase]

        /// Their original transactions.
        var originals: Set<String> { Set(purchases.map(\.original.originalTransactionIdentifier)) }
    }

    /// The next part is the last one.
    private var parts: [Part]
    private let causes: [ScopedOriginal: EventCause]
    private let date: Int64

    /// - Parameters:
    ///   - purchases: The purchases.
    ///   - causes: Why they may have changed.
    ///   - date: The current time.
    init(of purchases: [StoredPurchase], because causes: [ScopedOriginal: EventCause], at date: Int64) {
        parts = Dictionary(grouping: purchases, by: \.original.scope).sorted { $0.key > $1.key }.map {
            Part(scope: $0.key, purchases: $0.value.sorted { $0.original < $1.original })
        }
        self.causes = causes
        self.date = date
    }

    /// Returns the purchases to read and report next; nil at the end.
    mutating func next() -> Part? { parts.popLast() }

    /// Reports a part.
    ///
    /// - Parameters:
    ///   - part: The part.
    ///   - stored: Its evidence, or the error of reading it.
    /// - Returns: The purchases whose states changed, and the events, in their order.
    /// - Throws: An error of the database.
    mutating func report(
        _ part: Part, from stored: Result<StoredEvidence, StoreError>
    ) throws(StoreError) -> (purchases: [StoredPurchase], events: [EntitlementEvent]) {
        switch stored {
        case .success(let stored):
            return report(part, from: stored)
        case .failure(.tooMuchEvidence), .failure(.untrustedRevocation):
            guard part.purchases.count > 1 else { return (part.purchases.map(postponed), []) }
            parts += part.purchases.halves.map { Part(scope: part.scope, purchases: $0) }
            return ([], [])
        case .failure(let error):
            throw error
        }
    }

    private func report(
        _ part: Part, from stored: StoredEvidence
    ) -> (purchases: [StoredPurchase], events: [EntitlementEvent]) {
        let ledger = PurchaseLedger(
            stored.evidence, app: part.scope.app, environment: part.scope.environment, originals: part.originals)
        let current = PurchaseEntitlements(ledger, now: Date(milliseconds: date))
        var (purchases, events): ([StoredPurchase], [EntitlementEvent]) = ([], [])
        for var purchase in part.purchases {
            let identifier = purchase.original.originalTransactionIdentifier
            guard let cause = causes[purchase.original] else { continue }
            if let entitlements = current.byOriginal[identifier] {
                events += purchase.report(
                    entitlements.map { ReportedEntitlement($0) }, due: current.nextChanges[identifier]?.milliseconds,
                    because: cause, at: current.date.milliseconds ?? date)
                purchases.append(purchase)
            } else if cause.kind == .time || stored.skippedRows > 0 {
                // Its evidence doesn't verify under the current roots. Otherwise, there is none of a transaction.
                purchases.append(postponed(purchase))
            }
        }
        return (purchases, events)
    }

    /// The purchase stays as it was reported.
    private func postponed(_ purchase: StoredPurchase) -> StoredPurchase {
        var purchase = purchase
        purchase.state.postpone(from: date)
        return purchase
    }
}

extension Array {
    /// The second half, and the first half, which is the next one of a stack.
    var halves: [[Element]] { [Array(self[(count / 2)...]), Array(self[..<(count / 2)])] }
}
#endif
