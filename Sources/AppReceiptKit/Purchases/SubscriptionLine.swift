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

    /// The periods in the order in which they were bought; at least one. Transactions of the same period (restores) are
    /// one, the last of them or the one that was refunded.
    public let periods: [Period]

    /// A time for which a product was paid, or tried.
    public struct Period: Sendable, Hashable {
        /// When it began; at the latest when it ended.
        public let start: Date
        /// When it ended or will end: its expiration date, or the end of the grace period where renewal information says
        /// of one, or the refund or upgrade if that came before.
        public private(set) var end: Date
        /// The transaction, with the product, the offer and the cancellation date.
        public private(set) var purchase: Purchase

        /// One of the copies was upgraded.
        mutating func markUpgraded() { purchase.isUpgraded = true }

        mutating func cut(at date: Date) { end = max(start, min(end, date)) }

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
        var positions: [Span: Int] = [:]
        for purchase in purchases {
            guard let span = Span(purchase) else { continue }
            let period = Period(purchase, span)
            if let position = positions[span] {
                // A refund of one copy is one of them all.
                let isUpgraded = period.purchase.isUpgraded == true || periods[position].purchase.isUpgraded == true
                if period.end <= periods[position].end { periods[position] = period }
                if isUpgraded { periods[position].markUpgraded() }
            } else {
                positions[span] = periods.count
                periods.append(period)
            }
        }
        guard !periods.isEmpty else { return nil }
        // A signed transaction says that an upgrade ended its period, not when: when the product that came after it began.
        for (index, period) in periods.enumerated() where period.purchase.isUpgraded == true {
            let next = periods[(index + 1)...].first { $0.start > period.start }
            periods[index].cut(at: next?.start ?? period.start)
        }
        originalTransactionIdentifier = identifier
        self.periods = periods
    }

    /// What copies of the same period have in common.
    fileprivate struct Span: Hashable {
        let product: String?
        let start: Date
        let expiration: Date

        init?(_ purchase: Purchase) {
            guard let start = purchase.purchaseDate, let expiration = purchase.expirationDate else { return nil }
            product = purchase.productIdentifier
            self.start = start
            self.expiration = expiration
        }

        static func == (left: Span, right: Span) -> Bool {
            left.product == right.product && left.start.inSeconds == right.start.inSeconds
                && left.expiration.inSeconds == right.expiration.inSeconds
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(product)
            hasher.combine(start.inSeconds)
        }
    }
}

extension SubscriptionLine.Period {
    /// A restored copy may be dated after its period, and a refund before it: no length is left, not less.
    fileprivate init(_ purchase: Purchase, _ span: SubscriptionLine.Span) {
        start = min(span.start, span.expiration)
        let expiration = max(span.expiration, purchase.accessEnd ?? span.expiration)
        end = max(start, min(purchase.cancellationDate ?? expiration, expiration))
        self.purchase = purchase
    }
}

extension SubscriptionLine: CustomStringConvertible {
    /// The number of periods, and nothing of the customer.
    public var description: String { "SubscriptionLine(\(periods.count) periods)" }
}

extension PurchaseQueries {
    /// The subscriptions, each with its periods, in the order of their first periods.
    ///
    /// Where no original transaction is named (Xcode) a line is what has transaction number and product in common; a
    /// transaction without any identifier is in none. Renewals after the receipt was signed, and whether the customer has
    /// turned renewal off, are not in it.
    public var subscriptionLines: [SubscriptionLine] {
        let originals = Set(all.compactMap(\.originalTransactionIdentifier))
        var lines: [Line: [Purchase]] = [:]
        for purchase in all where purchase.isSubscriptionPeriod {
            if let line = Line(purchase, originals) { lines[line, default: []].append(purchase) }
        }
        return lines.compactMap { SubscriptionLine($0.identifier, $1) }.sorted { left, right in
            (left.periods[0].start, left.periods[0].purchase.sortKey)
                < (right.periods[0].start, right.periods[0].purchase.sortKey)
        }
    }

    /// The subscription with this original transaction identifier, nil if there is none. See ``subscriptionLines`` for
    /// what it cannot know.
    public func subscriptionLine(_ originalTransactionIdentifier: String) -> SubscriptionLine? {
        subscriptionLines.first { $0.originalTransactionIdentifier == originalTransactionIdentifier }
    }

    /// The latest transaction of the subscription with this original transaction identifier, whatever product it is of
    /// and whether it was refunded or not. It may have been renewed or refunded since the receipt was signed.
    public func latestTransaction(ofLine originalTransactionIdentifier: String) -> Purchase? {
        subscriptionLine(originalTransactionIdentifier)?.latest.purchase
    }
}

/// What the transactions of a line have in common. Xcode names no original and numbers several transactions the same, so
/// that there the product counts too.
private struct Line: Hashable {
    let identifier: String
    let product: String?

    init?(_ purchase: Purchase, _ originals: Set<String>) {
        guard let identifier = purchase.lineIdentifier else { return nil }
        self.identifier = identifier
        product = originals.contains(identifier) ? nil : purchase.productIdentifier
    }
}
