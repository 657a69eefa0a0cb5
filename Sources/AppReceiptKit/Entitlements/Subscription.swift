#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// An auto-renewable subscription: the periods that share an original transaction, and how it renews.
package struct Subscription: Sendable, Hashable {
    /// The identifier that all periods share.
    package let original: String

    /// The periods in the order of their starts; at least one. Copies of a transaction are one period.
    package let periods: [Period]

    /// The newest renewal information.
    let renewal: RenewalEvidence?

    /// The products whose periods start in a second.
    private(set) var productsByStart: [Double: Set<String?>] = [:]

    /// A time that was paid for, or tried.
    package struct Period: Sendable, Hashable {
        package let start: Date
        package let expiration: Date
        /// Whether `start` is the date the period began. A copy that was restored after the end is dated when it was restored.
        let isStartKnown: Bool
        /// Whether the evidence states `expiration`.
        let isEndKnown: Bool
        /// The transaction and its copies, oldest first, after those that were restored after the end; at least one.
        package fileprivate(set) var purchases: [Purchase]
        /// The next period of another product, which ends this one.
        fileprivate(set) var successor: Successor?
        /// The end of the billing grace period that follows this period.
        fileprivate(set) var graceEnd: Date?
        /// Whether the newest renewal information is about the end of this period.
        fileprivate(set) var isSubjectOfRenewal = false

        /// A period that began later, of another product of the same subscription.
        struct Successor: Sendable, Hashable {
            let product: String?
            let start: Date
        }
    }

    /// - Parameters:
    ///   - purchases: periods of one original transaction, oldest first.
    ///   - renewal: the newest renewal information of that original.
    /// - Returns: nil if no purchase has a date.
    init?(_ original: String, _ purchases: [Purchase], renewal: RenewalEvidence?) {
        var periods: [Period] = []
        var positions: [PeriodKey: Int] = [:]
        var restoredLate: [Int: [Purchase]] = [:]
        for purchase in purchases {
            // A period of which only one date is known has no length: it gives no access, but is listed.
            guard let start = purchase.purchaseDate ?? purchase.expirationDate else { continue }
            let expiration = purchase.expirationDate ?? start
            let isRestoredLate = start > expiration
            let restored = PeriodKey(purchase, start: nil, expiration)
            let key = isRestoredLate ? restored : PeriodKey(purchase, start: start, expiration)
            if !purchase.sharesPeriod, let position = positions[key] {
                if isRestoredLate {
                    restoredLate[position, default: []].append(purchase)
                } else {
                    periods[position].purchases.append(purchase)
                }
                continue
            }
            if !purchase.sharesPeriod {
                positions[key] = periods.count
                positions[restored] = periods.count
            }
            periods.append(
                Period(
                    start: min(start, expiration), expiration: expiration,
                    isStartKnown: purchase.purchaseDate != nil && !isRestoredLate,
                    isEndKnown: purchase.expirationDate != nil, purchases: [purchase]))
        }
        guard !periods.isEmpty else { return nil }
        for (position, purchases) in restoredLate {
            periods[position].purchases = purchases + periods[position].purchases
        }
        for period in periods { productsByStart[period.start.wholeSeconds, default: []].insert(period.product) }
        periods.sort { ($0.start, $0.expiration) < ($1.start, $1.expiration) }
        Self.findSuccessors(&periods)
        if let renewal { Self.apply(renewal, to: &periods) }
        self.original = original
        self.periods = periods
        self.renewal = renewal
    }

    private struct PeriodKey: Hashable {
        let product: String?
        /// Nil for copies that were restored after the end, which don't state it.
        let start: Double?
        let expiration: Double

        init(_ purchase: Purchase, start: Date?, _ expiration: Date) {
            product = purchase.productIdentifier
            self.start = start?.wholeSeconds
            self.expiration = expiration.wholeSeconds
        }
    }

    /// Finds the next period of another product for each period, in one pass from the last to the first.
    private static func findSuccessors(_ periods: inout [Period]) {
        // The first later period, and the first later one whose product differs from that one's.
        var next: Period.Successor?
        var nextOfOther: Period.Successor?
        var end = periods.count
        while end > 0 {
            // Periods that start in the same second don't succeed one another.
            let second = periods[end - 1].start.wholeSeconds
            var begin = end
            while begin > 0, periods[begin - 1].start.wholeSeconds == second { begin -= 1 }
            for index in begin..<end {
                periods[index].successor = next?.product != periods[index].product ? next : nextOfOther
            }
            for index in (begin..<end).reversed() where periods[index].isStartKnown {
                let successor = Period.Successor(product: periods[index].product, start: periods[index].start)
                if successor.product != next?.product || next == nil { nextOfOther = next }
                next = successor
            }
            end = begin
        }
    }

    /// Renewal information is about the last period that had ended when it was signed. A grace period belongs to that one, and ends
    /// when a later period begins, of whatever product.
    private static func apply(_ renewal: RenewalEvidence, to periods: inout [Period]) {
        let ended = periods.indices.filter { periods[$0].isEndKnown && periods[$0].expiration <= renewal.signedDate }
        let begun = ended.filter { periods[$0].isStartKnown }
        guard let last = (begun.isEmpty ? ended : begun).map({ periods[$0].start.wholeSeconds }).max() else { return }
        let later = periods.first { $0.isStartKnown && $0.start.wholeSeconds > last }
        for index in ended where periods[index].start.wholeSeconds == last {
            periods[index].isSubjectOfRenewal = true
            guard let grace = renewal.gracePeriodExpirationDate else { continue }
            let end = later.map { min(grace, $0.start) } ?? grace
            if end > periods[index].expiration { periods[index].graceEnd = end }
        }
    }
}

extension Subscription.Period {
    /// The product.
    package var product: String? { purchases.first?.productIdentifier }

    /// The earliest revocation of a copy, which is one of them all.
    var revocation: Purchase.Revocation? { purchases.compactMap(\.revocation).min { $0.date < $1.date } }

    /// Whether a token of a copy says that an upgrade ended the period.
    var isUpgraded: Bool { purchases.contains { $0.isUpgraded == true } }

    /// The transaction to show: the one that was revoked, or else the last copy.
    package var purchase: Purchase? {
        purchases.last { $0.revocation != nil && $0.revocation?.date == revocation?.date } ?? purchases.last
    }

    /// The period of another product that ended this one before its expiration date. It isn't known if a token was signed after an upgrade
    /// and before the first period that is known of another product: that one is a later renewal.
    var replacement: Successor? {
        let latest =
            [expiration, purchases.compactMap(\.upgradeSignedDate).max()].compactMap { $0 }.min() ?? expiration
        return successor.flatMap { $0.start.wholeSeconds <= latest.wholeSeconds ? $0 : nil }
    }

    /// The end of the period, grace included.
    var endWithGrace: Date { max(expiration, graceEnd ?? expiration) }

    /// The end of access: that of the period and its grace, or the revocation or the next product's start if it comes first.
    package var accessEnd: Date {
        if isUpgraded, replacement == nil, revocation == nil {
            // An upgrade ended the period at a date that no evidence states.
            return start
        }
        return max(start, [endWithGrace, successor?.start, revocation?.date].compactMap { $0 }.min() ?? endWithGrace)
    }

    /// Whether the period gives access at a date. Its start belongs to it, its end doesn't.
    package func isActive(at date: Date) -> Bool { start <= date && date < accessEnd }
}

extension Subscription: CustomStringConvertible {
    /// The number of periods, without anything about the customer.
    package var description: String { "Subscription(\(periods.count) periods)" }
}
