import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A purchase other than an auto-renewable subscription: the transaction and its restored copies.
struct OneTimePurchase {
    let product: String
    let original: String?
    /// The transaction and its copies, oldest first. Consumables and non-renewing subscriptions have exactly one.
    let copies: [Purchase]

    /// Returns the purchases in a ledger that aren't periods of subscriptions.
    static func all(in ledger: PurchaseLedger) -> [OneTimePurchase] {
        var groups: [Key: [Purchase]] = [:]
        var purchases: [OneTimePurchase] = []
        for purchase in ledger.purchases where !purchase.isSubscriptionPeriod {
            guard let product = purchase.productIdentifier else { continue }
            let original = ledger.original(of: purchase)
            if let original, purchase.kind.hasOneEntitlement {
                groups[Key(original: original, product: product), default: []].append(purchase)
            } else {
                purchases.append(OneTimePurchase(product: product, original: original, copies: [purchase]))
            }
        }
        return purchases + groups.map { OneTimePurchase(product: $0.product, original: $0.original, copies: $1) }
    }

    private struct Key: Hashable {
        let original: String
        let product: String
    }

    /// Returns the entitlement at a date.
    func entitlement(
        at date: Date, in ledger: PurchaseLedger, _ environment: ReceiptEnvironment.Base
    ) -> Entitlement.Ranked? {
        guard let last = copies.last else { return nil }
        let revocation = copies.compactMap(\.revocation).min { $0.date < $1.date }
        let revoked = copies.last { $0.revocation != nil && $0.revocation?.date == revocation?.date }
        let purchase = revoked ?? last
        let since = start
        let state: Entitlement.State
        if let since, since > date {
            state = .notStarted
        } else if let revocation, revocation.date <= date {
            state = purchase.revokedState
        } else {
            state = .owned
        }
        let until = state == .refunded || state == .revoked ? revocation?.date : nil
        let reportedOriginal = ledger.reportedOriginal(of: purchase)
        let rank = Entitlement.Rank(
            productIdentifier: product, kind: purchase.kind, state: state, until: until,
            originalTransactionIdentifier: reportedOriginal, transactionIdentifier: purchase.transactionIdentifier,
            start: since ?? .distantPast)
        return Entitlement.Ranked(rank: rank) {
            Entitlement(
                productIdentifier: product, environment: environment, kind: purchase.kind, state: state, since: since,
                until: until, asOf: ledger.asOf(original),
                reason: Self.reason(
                    state, purchase.kind, since: since, revoked: revocation?.date, asOf: ledger.asOf(original)),
                nextStep: Self.nextStep(state, purchase.kind), originalTransactionIdentifier: reportedOriginal,
                transactionIdentifier: purchase.transactionIdentifier, willRenew: nil,
                quantity: purchase.quantity ?? 1, ownership: purchase.ownership)
        }
    }

    /// The date of the purchase; for a restored non-consumable, of the original purchase.
    private var start: Date? {
        var start: Date?
        for copy in copies {
            let original = copy.kind.hasOneEntitlement ? copy.originalPurchaseDate : nil
            for date in [copy.purchaseDate, original] {
                if let date { start = min(start ?? date, date) }
            }
        }
        return start
    }

    private static func reason(
        _ state: Entitlement.State, _ kind: Entitlement.Kind, since: Date?, revoked: Date?, asOf: Date
    ) -> String {
        String(capacity: maxReasonCount) { text in
            func append(_ part: StaticString, on date: Date?) {
                text.append(part)
                guard let date else { return }
                text.append(" on ")
                RFC3339.append(date, to: &text)
            }
            switch state {
            case .refunded: append("Apple refunded the purchase", on: revoked)
            case .revoked: append("Family Sharing of the purchase ended", on: revoked)
            case .notStarted:
                append("Bought", on: since)
                text.append(", which is later than the date in question")
            default:
                append("Bought", on: since)
                if let revoked {
                    append(", and not yet refunded or revoked at the date in question, but", on: revoked)
                } else {
                    text.append(", and as of ")
                    RFC3339.append(asOf, to: &text)
                    text.append(" neither refunded nor revoked")
                }
                switch kind {
                case .consumable: text.append("; the evidence doesn't show whether it was consumed")
                case .nonRenewing: text.append("; the evidence doesn't show when it ends")
                default: break
                }
            }
            text.append(UInt8(ascii: "."))
        }
    }

    /// More than the length of the longest reason: 140 bytes, and two dates.
    private static let maxReasonCount = 256

    private static func nextStep(_ state: Entitlement.State, _ kind: Entitlement.Kind) -> String? {
        switch (state, kind) {
        case (.refunded, .consumable): "Revoke the delivered content if possible."
        case (.refunded, _), (.revoked, _): "Remove access."
        case (.notStarted, _): "Grant access from the date of purchase."
        case (.owned, .consumable): "Deliver it once, and record the transaction identifier."
        case (.owned, .nonRenewing): "Calculate its end from the date of purchase."
        default: nil
        }
    }
}
