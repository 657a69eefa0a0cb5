import AppReceiptFoundation
import AppReceiptSupport

/// Finds copies of a transaction: a restored purchase is the same purchase with another transaction identifier (rule 3).
///
/// Copies have the same original transaction and product. Copies of a subscription's period also have the same second of purchase or the same
/// web order line item; one that was restored after the end has the same end. Transactions that buy or assign seats share these values but
/// aren't copies.
struct PurchaseCopies {
    /// For each purchase, the position of another purchase of its group, or its own if it represents the group (a disjoint-set forest).
    private var parents: [Int]

    /// Whether any purchase has a copy.
    private(set) var exist = false

    private enum Key: Hashable {
        case oneTimePurchase(ExactString?)
        case start(ExactString?, second: Double)
        case webOrder(ExactString?, UInt64)
        case end(ExactString?, second: Double)
    }

    /// - Parameters:
    ///   - purchases: The purchases.
    ///   - originals: The positions of the purchases of each original transaction.
    init(_ purchases: [AppStoreTransaction], originals: [[Int]]) {
        parents = Array(purchases.indices)
        for positions in originals where positions.count > 1 && Self.mayHaveCopies(purchases, at: positions) {
            joinCopies(among: purchases, at: positions)
        }
    }

    /// Returns whether some of the purchases may be copies. Renewals aren't: each starts, ends and is ordered at its own time. Most originals have
    /// only renewals, and comparing them takes less time than hashing their keys (budget: entitlements of 20,000 purchases).
    private static func mayHaveCopies(_ purchases: [AppStoreTransaction], at positions: [Int]) -> Bool {
        var (start, end) = (-Double.infinity, -Double.infinity)
        var orders: Set<UInt64> = []
        for position in positions {
            let purchase = purchases[position]
            guard purchase.isSubscriptionPeriod, let nextStart = purchase.purchaseDate?.wholeSeconds,
                let nextEnd = purchase.expirationDate?.wholeSeconds, nextStart > start, nextEnd > end,
                nextStart <= nextEnd
            else { return true }
            if let order = purchase.webOrderLineItemIdentifier, !orders.insert(order).inserted { return true }
            (start, end) = (nextStart, nextEnd)
        }
        return false
    }

    /// Joins the copies among the purchases of one original transaction.
    private mutating func joinCopies(among purchases: [AppStoreTransaction], at positions: [Int]) {
        var known: [Key: Int] = [:]
        for position in positions {
            for key in Self.keys(of: purchases[position]) {
                if let other = known.updateValue(position, forKey: key) { join(position, with: other) }
            }
        }
        // Copies that were restored after the end belong to the periods that end in the same second.
        var ends: [Key: Int] = [:]
        for position in positions where purchases[position].isRestoredAfterEnd {
            guard let end = Self.end(of: purchases[position]) else { continue }
            if let other = ends.updateValue(position, forKey: end) { join(position, with: other) }
        }
        guard !ends.isEmpty else { return }
        for position in positions {
            if let other = Self.end(of: purchases[position]).flatMap({ ends[$0] }) { join(position, with: other) }
        }
    }

    private static func keys(of purchase: AppStoreTransaction) -> [Key] {
        guard !isSeat(purchase) else { return [] }
        let product = purchase.productIdentifier.map { ExactString($0) }
        guard purchase.isSubscriptionPeriod else { return [.oneTimePurchase(product)] }
        var keys: [Key] = []
        if let start = purchase.purchaseDate { keys.append(.start(product, second: start.wholeSeconds)) }
        if let order = purchase.webOrderLineItemIdentifier { keys.append(.webOrder(product, order)) }
        return keys
    }

    private static func end(of purchase: AppStoreTransaction) -> Key? {
        guard !isSeat(purchase), purchase.isSubscriptionPeriod, let end = purchase.expirationDate else { return nil }
        return .end(purchase.productIdentifier.map { ExactString($0) }, second: end.wholeSeconds)
    }

    private static func isSeat(_ purchase: AppStoreTransaction) -> Bool {
        purchase.buysSeats || purchase.ownership == .assigned
    }

    /// Returns the position that represents the copies of a purchase.
    func representative(of position: Int) -> Int {
        var position = position
        while parents[position] != position { position = parents[position] }
        return position
    }

    private mutating func join(_ one: Int, with other: Int) {
        let (left, right) = (representative(of: one), representative(of: other))
        guard left != right else { return }
        exist = true
        parents[max(left, right)] = min(left, right)
        // Shortens the paths that later searches follow, which keeps the searches together nearly linear.
        parents[one] = min(left, right)
        parents[other] = min(left, right)
    }

    /// Revokes each purchase of which a copy is revoked. Its own revocation has precedence, then the earliest revocation of a copy.
    func inheritRevocations(_ purchases: inout [AppStoreTransaction]) {
        guard exist else { return }
        var revocations: [Int: AppStoreTransaction.Revocation] = [:]
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

    private static func isEarlier(_ left: AppStoreTransaction.Revocation, than right: AppStoreTransaction.Revocation)
        -> Bool
    {
        if left.date != right.date { return left.date < right.date }
        // A token contains more details than a receipt.
        if left.isFromReceiptAlone != right.isFromReceiptAlone { return right.isFromReceiptAlone }
        return (left.reason ?? -1, left.type ?? "", left.percentage ?? -1)
            < (right.reason ?? -1, right.type ?? "", right.percentage ?? -1)
    }
}
