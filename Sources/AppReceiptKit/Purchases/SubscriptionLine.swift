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

    /// The periods, oldest first; at least one. Transactions that say the same of the same period (restores) are one.
    public let periods: [Period]

    /// A time for which a product was paid, or tried.
    public struct Period: Sendable, Hashable {
        /// When it began.
        public let start: Date
        /// When it ended or will end: its expiration date, or the refund or upgrade if that came before.
        public let end: Date
        /// The transaction, with the product, the offer and the cancellation date.
        public let purchase: Purchase

        /// Whether `date` lies in it: at its start it does, at its end no longer.
        public func contains(_ date: Date) -> Bool { start <= date && date < end }
    }

    /// The period that ends last. It may have been renewed since the receipt was signed.
    public var latest: Period {
        periods.dropFirst().reduce(periods[0]) { $1.end >= $0.end ? $1 : $0 }
    }

    /// The period in which `date` lies, the latest one if periods overlap; nil between and outside of them.
    ///
    /// A receipt does not know grace periods and billing retries, in which the store gives access after the end.
    public func period(at date: Date) -> Period? { periods.last { $0.contains(date) } }

    /// Whether `date` lies in a period. See ``period(at:)`` for what it cannot know.
    public func isActive(at date: Date) -> Bool { period(at: date) != nil }

    /// - Parameter purchases: transactions of one line, oldest first.
    /// - Returns: nil if none of them is a period with a start and an end.
    init?(_ identifier: String, _ purchases: [Purchase]) {
        var periods: [Period] = []
        var seen: Set<Span> = []
        for purchase in purchases {
            guard let start = purchase.purchaseDate, let expiration = purchase.expirationDate else { continue }
            // A refund before the period began leaves nothing of it, not a negative length.
            let end = max(start, purchase.cancellationDate.map { min($0, expiration) } ?? expiration)
            let span = Span(product: purchase.productIdentifier, start: start, end: end)
            guard seen.insert(span).inserted else { continue }
            periods.append(Period(start: start, end: end, purchase: purchase))
        }
        guard !periods.isEmpty else { return nil }
        originalTransactionIdentifier = identifier
        self.periods = periods
    }

    private struct Span: Hashable {
        let product: String?
        let start: Date
        let end: Date
    }
}

extension PurchaseQueries {
    /// The subscriptions, each with its periods, in the order of their first periods.
    ///
    /// Where no original transaction is named (Xcode) each transaction is a line of its own. Renewals after the receipt
    /// was signed, and whether the customer has turned renewal off, are not in it.
    public var subscriptionLines: [SubscriptionLine] {
        var order: [String] = []
        var lines: [String: [Purchase]] = [:]
        for purchase in all where purchase.isSubscriptionPeriod {
            guard let identifier = purchase.lineIdentifier else { continue }
            if lines[identifier] == nil { order.append(identifier) }
            lines[identifier, default: []].append(purchase)
        }
        return order.compactMap { identifier in
            lines[identifier].flatMap { SubscriptionLine(identifier, $0) }
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
