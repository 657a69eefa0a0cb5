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
    /// The transaction, or the newest of its copies. Nearly all purchases have no copies, and need no array.
    private var last: Purchase
    /// The older copies, oldest first. Consumables and non-renewing subscriptions have none.
    private var earlier: [Purchase] = []

    private init(product: String, original: String?, _ transaction: Purchase) {
        self.product = product
        self.original = original
        last = transaction
    }

    /// Adds a copy that isn't older than the others.
    private mutating func append(_ copy: Purchase) {
        earlier.append(last)
        last = copy
    }

    /// Returns the purchases in a ledger that aren't periods of subscriptions.
    static func all(in ledger: PurchaseLedger) -> [OneTimePurchase] {
        let count = ledger.purchases.lazy.filter { !$0.isSubscriptionPeriod }.count
        guard count > 0 else { return [] }
        var purchases: [OneTimePurchase] = []
        var positions = [Key: Int](minimumCapacity: count)
        purchases.reserveCapacity(count)
        for transaction in ledger.purchases where !transaction.isSubscriptionPeriod {
            guard let product = transaction.productIdentifier else { continue }
            let original = ledger.original(of: transaction)
            if let original, transaction.kind.hasOneEntitlement {
                let key = Key(original: original, product: product)
                if let position = positions.updateValue(purchases.count, forKey: key) {
                    positions[key] = position
                    purchases[position].append(transaction)
                    continue
                }
            }
            purchases.append(OneTimePurchase(product: product, original: original, transaction))
        }
        return purchases
    }

    private struct Key: Hashable {
        let original: String
        let product: String
    }

    /// Returns the entitlement at a date.
    ///
    /// - Parameter isNeeded: Whether an entitlement of a rank is needed. Others aren't created, because their texts are costly.
    func entitlement(
        at date: Date, _ dates: EvidenceDates, _ environment: ReceiptEnvironment.Base,
        where isNeeded: (Entitlement.Rank) -> Bool
    ) -> Entitlement.Ranked? {
        let purchase = decisive
        let revocation = purchase.revocation
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
        let reportedOriginal = purchase.reportedOriginal(in: environment)
        let rank = Entitlement.Rank(
            productIdentifier: product, kind: purchase.kind, state: state, until: until,
            originalTransactionIdentifier: reportedOriginal, transactionIdentifier: purchase.transactionIdentifier,
            start: since ?? .distantPast)
        guard isNeeded(rank) else { return nil }
        let asOf = dates.asOf(original)
        return Entitlement.Ranked(
            rank: rank,
            entitlement: Entitlement(
                productIdentifier: product, environment: environment, kind: rank.kind, state: state, since: since,
                until: until, asOf: asOf,
                reason: Self.reason(state, rank.kind, since: since, revoked: revocation?.date, asOf: asOf),
                nextStep: Self.nextStep(state, rank.kind), originalTransactionIdentifier: reportedOriginal,
                transactionIdentifier: rank.transactionIdentifier, willRenew: nil,
                quantity: purchase.quantity ?? 1, ownership: purchase.ownership))
    }

    /// The copy that determines the state: the last of those with the earliest revocation, or the last one if none is revoked.
    private var decisive: Purchase {
        var (decisive, earliest) = (last, last.revocation?.date)
        for copy in earlier.reversed() {
            guard let date = copy.revocation?.date, earliest.map({ date < $0 }) ?? true else { continue }
            (decisive, earliest) = (copy, date)
        }
        return decisive
    }

    /// The date of the purchase; for a restored non-consumable, of the original purchase.
    private var start: Date? { earlier.reduce(Self.start(of: last)) { Self.earliest($0, Self.start(of: $1)) } }

    private static func start(of copy: Purchase) -> Date? {
        copy.kind.hasOneEntitlement ? earliest(copy.purchaseDate, copy.originalPurchaseDate) : copy.purchaseDate
    }

    private static func earliest(_ left: Date?, _ right: Date?) -> Date? {
        guard let left, let right else { return left ?? right }
        return min(left, right)
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
