package import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

/// The entitlements of each purchase by itself: what ``Entitlements`` are chosen from.
///
/// A purchase is an original transaction. Of the products of a subscription, only the current one counts.
package struct PurchaseEntitlements: Sendable {
    /// The date at which they apply.
    package let date: Date
    /// The entitlements by original transaction: one, or for consumables and non-renewing subscriptions one for each
    /// transaction.
    package let byOriginal: [String: [Entitlement]]
    /// The next date after ``date`` at which time alone may change an entitlement, by original transaction.
    package let nextChanges: [String: Date]

    /// Derives the entitlements from a ledger of verified evidence.
    ///
    /// - Parameters:
    ///   - ledger: The evidence.
    ///   - now: The current time. The date is the newest one that Apple signed if that is later.
    package init(_ ledger: PurchaseLedger, now: Date) {
        let date = ledger.date(now: now)
        self.date = date
        guard let environment = ledger.environment else {
            (byOriginal, nextChanges) = ([:], [:])
            return
        }
        let context = EvaluationContext(ledger, environment: environment, at: date)
        var byOriginal: [String: [Entitlement]] = [:]
        var nextChanges: [String: Date] = [:]
        for original in ledger.originals {
            guard let identifier = original.identifier else { continue }
            var entitlements: [Entitlement] = []
            context.forEachEntitlement(to: original, in: ledger) { entitlements.append($0) }
            byOriginal[identifier] = Self.current(entitlements)
            nextChanges[identifier] = ledger.dates(of: original).filter { $0 > date }.min()
        }
        self.byOriginal = byOriginal
        self.nextChanges = nextChanges
    }

    /// Returns the entitlements that stand for a purchase: that of the current product, and those to single
    /// transactions.
    private static func current(_ entitlements: [Entitlement]) -> [Entitlement] {
        let current = entitlements.filter(\.kind.hasOneEntitlement).max { left, right in
            if (left.state == .upgraded) != (right.state == .upgraded) { return left.state == .upgraded }
            return left.isLess(than: right)
        }
        return entitlements.filter { !$0.kind.hasOneEntitlement } + (current.map { [$0] } ?? [])
    }
}

extension PurchaseLedger {
    /// Returns the dates at which time alone may change an entitlement to an original transaction.
    fileprivate func dates(of original: Original) -> [Date] {
        var dates: [Date] = []
        for transaction in original.positions.map({ transactions[$0] }) {
            if let start = transaction.purchaseDate {
                // A period that the App Store may have renewed early counts before it begins.
                dates += [start, start - SubscriptionEntitlements.maxEarlySeconds]
            }
            if let end = transaction.expirationDate {
                dates += [end, end + Subscription.Period.Grace.maxSeconds, end + Entitlement.Basis.billingRetrySeconds]
            }
            if let revocation = transaction.revocation { dates.append(revocation.date) }
        }
        if let grace = original.identifier.flatMap({ renewals[$0]?.gracePeriodExpirationDate }) {
            dates += [grace, grace + Entitlement.Basis.billingRetrySeconds]
        }
        return dates
    }
}
