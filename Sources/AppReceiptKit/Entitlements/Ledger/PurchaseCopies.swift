import AppReceiptFoundation
import AppReceiptSupport

/// Finds copies of a transaction: a restored purchase is the same purchase with another transaction identifier (rule 3
/// of WhatACustomerOwns).
///
/// Copies have the same original transaction and product. Copies of a subscription's period also have the same second
/// of purchase or the same web order line item; one that was restored after the end has the same end. Transactions that
/// buy or assign seats share these values but aren't copies.
struct PurchaseCopies {
    /// For each transaction, the position of another one of its group, or its own if it represents the group (a
    /// disjoint-set forest).
    private var parents: [Int]

    /// Whether any transaction has a copy.
    private(set) var exist = false

    private enum Key: Hashable {
        case oneTimePurchase(ExactString?)
        case start(ExactString?, second: Double)
        case webOrder(ExactString?, UInt64)
        case end(ExactString?, second: Double)
    }

    /// - Parameters:
    ///   - transactions: The transactions.
    ///   - originals: The positions of the transactions of each original transaction.
    init(_ transactions: [AppStoreTransaction], originals: [[Int]]) {
        parents = Array(transactions.indices)
        for positions in originals where positions.count > 1 && Self.mayHaveCopies(transactions, at: positions) {
            joinCopies(among: transactions, at: positions)
        }
    }

    /// Returns whether some of the transactions may be copies. Renewals aren't: each starts, ends and is ordered at its
    /// own time. Most originals have only renewals, and comparing them takes less time than hashing their keys (budget:
    /// entitlements of 20,000 purchases).
    private static func mayHaveCopies(_ transactions: [AppStoreTransaction], at positions: [Int]) -> Bool {
        var (start, end) = (-Double.infinity, -Double.infinity)
        var orders: Set<UInt64> = []
        for position in positions {
            let transaction = transactions[position]
            guard transaction.isSubscriptionPeriod, let nextStart = transaction.purchaseDate?.wholeSeconds,
                let nextEnd = transaction.expirationDate?.wholeSeconds, nextStart > start, nextEnd > end,
                nextStart <= nextEnd
            else { return true }
            if let order = transaction.webOrderLineItemIdentifier, !orders.insert(order).inserted { return true }
            (start, end) = (nextStart, nextEnd)
        }
        return false
    }

    /// Joins the copies among those of one original transaction.
    private mutating func joinCopies(among transactions: [AppStoreTransaction], at positions: [Int]) {
        var known: [Key: Int] = [:]
        for position in positions {
            for key in Self.keys(of: transactions[position]) {
                if let other = known.updateValue(position, forKey: key) { join(position, with: other) }
            }
        }
        // Copies that were restored after the end belong to the periods that end in the same second.
        var ends: [Key: Int] = [:]
        for position in positions where transactions[position].isRestoredAfterEnd {
            guard let end = Self.end(of: transactions[position]) else { continue }
            if let other = ends.updateValue(position, forKey: end) { join(position, with: other) }
        }
        guard !ends.isEmpty else { return }
        for position in positions {
            if let other = Self.end(of: transactions[position]).flatMap({ ends[$0] }) { join(position, with: other) }
        }
    }

    private static func keys(of transaction: AppStoreTransaction) -> [Key] {
        guard !isSeat(transaction) else { return [] }
        let product = transaction.productIdentifier.map { ExactString($0) }
        guard transaction.isSubscriptionPeriod else { return [.oneTimePurchase(product)] }
        var keys: [Key] = []
        if let start = transaction.purchaseDate { keys.append(.start(product, second: start.wholeSeconds)) }
        if let order = transaction.webOrderLineItemIdentifier { keys.append(.webOrder(product, order)) }
        return keys
    }

    private static func end(of transaction: AppStoreTransaction) -> Key? {
        guard !isSeat(transaction), transaction.isSubscriptionPeriod, let end = transaction.expirationDate else {
            return nil
        }
        return .end(transaction.productIdentifier.map { ExactString($0) }, second: end.wholeSeconds)
    }

    private static func isSeat(_ transaction: AppStoreTransaction) -> Bool {
        transaction.buysSeats || transaction.ownership == .assigned
    }

    /// Returns the position that represents the copies of a transaction.
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

    /// Revokes each transaction of which a copy is revoked. Its own revocation has precedence, then the earliest
    /// revocation of a copy.
    func inheritRevocations(_ transactions: inout [AppStoreTransaction]) {
        guard exist else { return }
        var revocations: [Int: AppStoreTransaction.Revocation] = [:]
        for (position, transaction) in transactions.enumerated() {
            guard let revocation = transaction.revocation else { continue }
            let group = representative(of: position)
            if revocations[group].map({ Self.isEarlier(revocation, than: $0) }) ?? true {
                revocations[group] = revocation
            }
        }
        guard !revocations.isEmpty else { return }
        for position in transactions.indices where !transactions[position].hasRevocation {
            guard let revocation = revocations[representative(of: position)] else { continue }
            transactions[position] = transactions[position].with { $0.revocation = revocation }
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
