import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds copies of a transaction: a restored purchase is the same purchase with another transaction identifier (rule 3).
///
/// Copies have the same original transaction and product. Copies of a subscription's period also have the same second of purchase or the same
/// web order line item; one that was restored after the end has the same end. Transactions that buy or assign seats share these values but
/// aren't copies.
struct PurchaseCopies {
    /// For each purchase, the position of another purchase of its group, or its own if it represents the group (a disjoint-set forest).
    private var parents: [Int]

    private enum Key: Hashable {
        case oneTimePurchase(Period)
        case start(Period, second: Double)
        case webOrder(Period, UInt64)

        /// What the copies of a purchase have in common.
        struct Period: Hashable {
            let original: String
            let product: ExactString?
        }
    }

    init(_ purchases: [Purchase]) {
        parents = Array(purchases.indices)
        var known = [Key: Int](minimumCapacity: 2 * purchases.count)
        for (position, purchase) in purchases.enumerated() {
            for key in Self.keys(of: purchase) {
                let other = known.updateValue(position, forKey: key)
                if let other { join(position, other) }
            }
        }
        joinRestoredAfterEnd(purchases)
    }

    private static func keys(of purchase: Purchase) -> [Key] {
        guard let period = period(of: purchase) else { return [] }
        guard purchase.isSubscriptionPeriod else { return [.oneTimePurchase(period)] }
        var keys: [Key] = []
        if let start = purchase.purchaseDate { keys.append(.start(period, second: start.wholeSeconds)) }
        if let webOrder = purchase.webOrderLineItemIdentifier { keys.append(.webOrder(period, webOrder)) }
        return keys
    }

    private static func period(of purchase: Purchase) -> Key.Period? {
        guard !purchase.buysSeats, purchase.ownership != .assigned, let original = purchase.original else { return nil }
        return Key.Period(original: original, product: purchase.productIdentifier.map { ExactString($0) })
    }

    /// Joins copies that were restored after the end with the periods that end in the same second.
    private mutating func joinRestoredAfterEnd(_ purchases: [Purchase]) {
        func end(of purchase: Purchase) -> Key? {
            guard purchase.isSubscriptionPeriod, let end = purchase.expirationDate else { return nil }
            return Self.period(of: purchase).map { .start($0, second: end.wholeSeconds) }
        }
        let restored = purchases.indices.filter { purchases[$0].isRestoredAfterEnd }
        var ends: [Key: Int] = [:]
        for position in restored {
            guard let end = end(of: purchases[position]) else { continue }
            if let other = ends.updateValue(position, forKey: end) { join(position, other) }
        }
        guard !ends.isEmpty else { return }
        for (position, purchase) in purchases.enumerated() {
            if let other = end(of: purchase).flatMap({ ends[$0] }) { join(position, other) }
        }
    }

    /// Returns the position that represents the copies of a purchase.
    func representative(of position: Int) -> Int {
        var position = position
        while parents[position] != position { position = parents[position] }
        return position
    }

    private mutating func join(_ one: Int, _ other: Int) {
        let (left, right) = (representative(of: one), representative(of: other))
        guard left != right else { return }
        parents[max(left, right)] = min(left, right)
        // Shortens the paths that later searches follow, which keeps the searches together nearly linear.
        parents[one] = min(left, right)
        parents[other] = min(left, right)
    }

    /// Revokes each purchase of which a copy is revoked. Its own revocation has precedence, then the earliest revocation of a copy.
    func inheritRevocations(_ purchases: inout [Purchase]) {
        var revocations: [Int: Purchase.Revocation] = [:]
        for (position, purchase) in purchases.enumerated() {
            guard let revocation = purchase.revocation else { continue }
            let group = representative(of: position)
            if revocations[group].map({ Self.isEarlier(revocation, than: $0) }) ?? true {
                revocations[group] = revocation
            }
        }
        guard !revocations.isEmpty else { return }
        for position in purchases.indices where !purchases[position].hasRevocation {
            purchases[position].revocation = revocations[representative(of: position)]
        }
    }

    private static func isEarlier(_ left: Purchase.Revocation, than right: Purchase.Revocation) -> Bool {
        if left.date != right.date { return left.date < right.date }
        // A token contains more details than a receipt.
        if left.isFromReceiptAlone != right.isFromReceiptAlone { return right.isFromReceiptAlone }
        return (left.reason ?? -1, left.type ?? "", left.percentage ?? -1)
            < (right.reason ?? -1, right.type ?? "", right.percentage ?? -1)
    }
}
