import AppReceiptFoundation
import AppReceiptSupport

/// An auto-renewable subscription: the periods that share an original transaction, and its renewal information.
package struct Subscription: Sendable, Hashable {
    /// The identifier that all periods share.
    package let original: String

    /// The periods in the order of their starts; at least one. Copies of a transaction are one period.
    package let periods: [Period]

    /// The newest renewal information.
    let renewal: RenewalEvidence?

    /// Creates a subscription.
    ///
    /// - Parameters:
    ///   - original: The identifier of the original transaction.
    ///   - copies: The transactions of each period, with their copies.
    ///   - renewal: The newest renewal information of the original transaction.
    /// - Returns: `nil` if no transaction has a date.
    init?(_ original: String, periodsOf copies: [[AppStoreTransaction]], renewal: RenewalEvidence?) {
        var periods = copies.compactMap { Period(copies: $0) }
        guard !periods.isEmpty else { return nil }
        periods.sort { ($0.start, $0.expiration) < ($1.start, $1.expiration) }
        Self.findSuccessors(&periods)
        if let renewal { Self.apply(renewal, to: &periods) }
        self.original = original
        self.periods = periods
        self.renewal = renewal
    }

    /// Finds the next period of another product for each period (rule 4 of WhatACustomerOwns), in one pass from the
    /// last to the first.
    private static func findSuccessors(_ periods: inout [Period]) {
        // The first later period, and the first later period of a product other than that one's.
        var next: Period.Successor?
        var nextOfOther: Period.Successor?
        var end = periods.count
        while end > 0 {
            // Periods that start in the same second don't succeed one another.
            let second = periods[end - 1].start.wholeSeconds
            let begin = (periods[..<end].lastIndex { $0.start.wholeSeconds != second } ?? -1) + 1
            for index in begin..<end {
                periods[index].successor = next?.product != periods[index].product ? next : nextOfOther
            }
            for index in (begin..<end).reversed() where periods[index].hasRun {
                let successor = Period.Successor(product: periods[index].product, start: periods[index].start)
                if successor.product != next?.product || next == nil { nextOfOther = next }
                next = successor
            }
            end = begin
        }
    }

    /// Applies renewal information to the last period that had ended when it was signed (rule 5 of WhatACustomerOwns).
    /// Its grace period ends when a later period of any product begins.
    private static func apply(_ renewal: RenewalEvidence, to periods: inout [Period]) {
        let ended = periods.indices.filter { periods[$0].isEndKnown && periods[$0].expiration <= renewal.signedDate }
        let run = ended.filter { periods[$0].hasRun }
        guard let last = (run.isEmpty ? ended : run).map({ periods[$0].start.wholeSeconds }).max() else { return }
        let next = periods.first { $0.hasRun && $0.start.wholeSeconds > last }?.start
        for index in ended where periods[index].start.wholeSeconds == last {
            periods[index].isSubjectOfRenewal = true
            periods[index].grace = Period.Grace(renewal, after: periods[index].expiration, until: next)
        }
    }

    /// Returns whether a period of another product starts in a second.
    private func hasStart(at second: Double, ofProductOtherThan product: ExactString?) -> Bool {
        // Binary search, because a receipt may list thousands of canceled periods.
        var (low, high) = (0, periods.count)
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].start.wholeSeconds < second { low = middle + 1 } else { high = middle }
        }
        return periods[low...].prefix { $0.start.wholeSeconds == second }.contains { $0.product != product }
    }

    /// Returns whether a cancellation is an upgrade. Receipts don't distinguish it from a refund: it is an upgrade if
    /// another product begins in the same second, or if a token contains the upgrade.
    func isUpgrade(_ revocation: AppStoreTransaction.Revocation, of transaction: AppStoreTransaction) -> Bool {
        guard revocation.isFromReceiptAlone else { return false }
        return transaction.isUpgraded == true
            || hasStart(
                at: revocation.date.wholeSeconds,
                ofProductOtherThan: transaction.productIdentifier.map { ExactString($0) })
    }
}

extension Subscription: CustomStringConvertible {
    /// The number of periods, without anything about the customer.
    package var description: String { "Subscription(\(periods.count) periods)" }
}

extension PurchaseLedger {
    /// The subscriptions, each with its periods, in the order of their first periods.
    package var subscriptions: [Subscription] { originals.compactMap(subscription) }

    /// Returns the subscription with an original transaction, nil if none of its transactions is a period.
    func subscription(of original: Original) -> Subscription? {
        guard let identifier = original.identifier else { return nil }
        return Subscription(
            identifier, periodsOf: copies(among: original.positions) { $0.isSubscriptionPeriod },
            renewal: renewals[identifier])
    }

    /// Returns the transactions of an original that meet a condition, each with its copies, oldest first.
    func copies(among positions: [Int], where isIncluded: (AppStoreTransaction) -> Bool) -> [[AppStoreTransaction]] {
        var groups: [[AppStoreTransaction]] = []
        var known: [Int: Int] = [:]
        for position in positions where isIncluded(transactions[position]) {
            let representative = copies.representative(of: position)
            // Most evidence has no copies.
            if copies.exist, let index = known.updateValue(groups.count, forKey: representative) {
                known[representative] = index
                groups[index].append(transactions[position])
            } else {
                groups.append([transactions[position]])
            }
        }
        return groups
    }

    /// Returns those of the transactions that were refunded or revoked, merged from all evidence. Upgrades aren't
    /// included.
    package func revoked(among claimed: [AppStoreTransaction]) -> [AppStoreTransaction] {
        var listed: Set<AppStoreTransaction> = []
        let revoked = merged(claimed).filter { $0.hasRevocation && listed.insert($0).inserted }
        guard !revoked.isEmpty else { return [] }
        let subscriptions = Dictionary(subscriptions.map { ($0.original, $0) }, uniquingKeysWith: { first, _ in first })
        return revoked.filter { transaction in
            guard let revocation = transaction.revocation, let original = original(of: transaction),
                transaction.isSubscriptionPeriod
            else { return true }
            return subscriptions[original]?.isUpgrade(revocation, of: transaction) != true
        }
    }
}
