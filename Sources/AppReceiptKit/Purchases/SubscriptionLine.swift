#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A subscription from its first period through its renewals, upgrades and interruptions: the transactions that share
/// an original transaction identifier.
public struct SubscriptionLine: Sendable, Hashable {
    /// The identifier of the first transaction, which all of them name. Bind this one to an account.
    public let originalTransactionIdentifier: String

    /// The periods in the order in which they were bought; at least one. Transactions that say the same of the same
    /// period (restores) are one, the last of them.
    public let periods: [Period]

    /// A time for which a product was paid, or tried.
    public struct Period: Sendable, Hashable {
        /// When it began; at the latest when it ended.
        public let start: Date
        /// When it ended or will end: its expiration date, or the refund or upgrade if that came before.
        public let end: Date
        /// The transaction, with the product, the offer and the cancellation date.
        public let purchase: Purchase

        /// Whether `date` lies in it: at its start it does, at its end no longer.
        public func contains(_ date: Date) -> Bool { start <= date && date < end }
    }

    /// The period that was bought last. It may have been renewed since the receipt was signed.
    public var latest: Period { periods[periods.count - 1] }

    /// The period in which `date` lies, of several that overlap the one bought last; nil between and outside of them.
    ///
    /// A receipt does not know grace periods and billing retries, in which the store gives access after the end.
    public func period(at date: Date) -> Period? { periods.last { $0.contains(date) } }

    /// Whether `date` lies in a period. See ``period(at:)`` for what it cannot know.
    public func isActive(at date: Date) -> Bool { period(at: date) != nil }

    /// - Parameter purchases: transactions of one line, oldest first.
    /// - Returns: nil if none of them is a period with a start and an end.
    init?(_ identifier: String, _ purchases: [Purchase]) {
        var periods: [Period] = []
        var positions: [Facts: Int] = [:]
        for purchase in purchases {
            guard let facts = Facts(purchase) else { continue }
            // A restored copy may be dated after its period, and a refund before it: no length is left, not less.
            let start = min(facts.start, facts.expiration)
            let end = max(start, min(facts.cancellation ?? facts.expiration, facts.expiration))
            let period = Period(start: start, end: end, purchase: purchase)
            if let position = positions[facts] {
                periods[position] = period
            } else {
                positions[facts] = periods.count
                periods.append(period)
            }
        }
        guard !periods.isEmpty else { return nil }
        originalTransactionIdentifier = identifier
        self.periods = periods
    }

    /// What transactions of the same period have in common.
    private struct Facts: Hashable {
        let product: String?
        let start: Date
        let expiration: Date
        let cancellation: Date?
        let isTrial: Bool?
        let isIntroductory: Bool?

        init?(_ purchase: Purchase) {
            guard let start = purchase.purchaseDate, let expiration = purchase.expirationDate else { return nil }
            product = purchase.productIdentifier
            self.start = start
            self.expiration = expiration
            cancellation = purchase.cancellationDate
            isTrial = purchase.isTrialPeriod
            isIntroductory = purchase.isInIntroductoryOfferPeriod
        }
    }
}

extension SubscriptionLine: CustomStringConvertible {
    /// The number of periods, and nothing of the customer.
    public var description: String { "SubscriptionLine(\(periods.count) periods)" }
}

extension PurchaseQueries {
    /// The subscriptions, each with its periods, in the order of their first periods.
    ///
    /// Where no original transaction is named (Xcode) each transaction is a line of its own; one without any identifier
    /// is in none. Renewals after the receipt was signed, and whether the customer has turned renewal off, are not in it.
    public var subscriptionLines: [SubscriptionLine] {
        var lines: [String: [Purchase]] = [:]
        for purchase in all where purchase.isSubscriptionPeriod {
            if let identifier = purchase.lineIdentifier { lines[identifier, default: []].append(purchase) }
        }
        return lines.compactMap { SubscriptionLine($0, $1) }.sorted { left, right in
            (left.periods[0].start, left.periods[0].purchase.sortKey)
                < (right.periods[0].start, right.periods[0].purchase.sortKey)
        }
    }

    /// The subscription with this original transaction identifier, nil if there is none.
    public func subscriptionLine(_ originalTransactionIdentifier: String) -> SubscriptionLine? {
        SubscriptionLine(
            originalTransactionIdentifier,
            all.filter { $0.isSubscriptionPeriod && $0.lineIdentifier == originalTransactionIdentifier })
    }

    /// The latest transaction of the subscription with this original transaction identifier, whatever product it is of
    /// and whether it was refunded or not.
    public func latestTransaction(ofLine originalTransactionIdentifier: String) -> Purchase? {
        subscriptionLine(originalTransactionIdentifier)?.latest.purchase
    }
}
