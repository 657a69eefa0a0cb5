import AppReceiptSupport

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// An auto-renewable subscription: the periods that share an original transaction, and its renewal information.
package struct Subscription: Sendable, Hashable {
    /// The identifier that all periods share.
    package let original: String

    /// The periods in the order of their starts; at least one. Copies of a transaction are one period.
    package let periods: [Period]

    /// The newest renewal information.
    let renewal: RenewalEvidence?

    /// A paid period or a free trial.
    package struct Period: Sendable, Hashable {
        package let start: Date
        package let expiration: Date
        /// Whether `start` is the date the period began. A copy that was restored after the end has the date of the restoration.
        let isStartKnown: Bool
        /// Whether the evidence contains `expiration`.
        let isEndKnown: Bool
        /// The first of the ``purchases``. Nearly all periods have only one, which needs no array.
        private var first: Purchase
        private var others: [Purchase] = []
        /// The earliest revocation of any copy, which applies to all copies.
        private(set) var revocation: Purchase.Revocation?
        /// Whether a token shows that an upgrade ended the period.
        private(set) var isUpgraded = false
        /// The date of the newest token that contains the upgrade.
        private(set) var upgradeSignedDate: Date?
        /// Whether a period of another product starts in the same second.
        fileprivate(set) var sharesStart = false
        /// The next period of another product, which ends this one.
        fileprivate(set) var successor: Successor?
        /// The end of the billing grace period that follows this period.
        fileprivate(set) var graceEnd: Date?
        /// Whether the newest renewal information is about the end of this period.
        fileprivate(set) var isSubjectOfRenewal = false

        fileprivate init(_ purchase: Purchase, start: Date, expiration: Date, isStartKnown: Bool) {
            self.start = start
            self.expiration = expiration
            self.isStartKnown = isStartKnown
            isEndKnown = purchase.expirationDate != nil
            first = purchase
            add(purchase)
        }

        /// The transaction and its copies, at least one: first the copies that were restored after the end, then the others, oldest first.
        package var purchases: [Purchase] { [first] + others }

        /// The product.
        package var product: String? { first.productIdentifier }

        /// The transaction to report: the one that was revoked, otherwise the last copy.
        package var purchase: Purchase {
            guard let last = others.last else { return first }
            return purchases.last { $0.hasRevocation && $0.revocation?.date == revocation?.date } ?? last
        }

        fileprivate mutating func append(_ copy: Purchase) {
            others.append(copy)
            add(copy)
        }

        /// Adds the revocation and upgrade of a copy.
        private mutating func add(_ copy: Purchase) {
            if let new = copy.revocation, revocation.map({ new.date < $0.date }) ?? true { revocation = new }
            if copy.isUpgraded == true { isUpgraded = true }
            if let date = copy.upgradeSignedDate { upgradeSignedDate = max(date, upgradeSignedDate ?? date) }
        }

        fileprivate mutating func prepend(_ copies: [Purchase]) {
            guard let first = copies.first else { return }
            others = copies.dropFirst() + purchases
            self.first = first
            // Of revocations with equal dates, the first copy's applies.
            revocation = nil
            purchases.forEach { add($0) }
        }

        /// A period that began later, of another product of the same subscription.
        struct Successor: Sendable, Hashable {
            let product: String?
            let start: Date
        }
    }

    /// Creates a subscription.
    ///
    /// - Parameters:
    ///   - original: The identifier of the original transaction.
    ///   - purchases: The transactions, oldest first.
    ///   - positions: The positions of the original transaction's periods, in ascending order.
    ///   - renewal: The newest renewal information of the original transaction.
    /// - Returns: `nil` if no purchase has a date.
    init?(_ original: String, _ purchases: [Purchase], at positions: [Int], renewal: RenewalEvidence?) {
        var periods: [Period] = []
        periods.reserveCapacity(positions.count)
        // Nearly all subscriptions have no copies, and need no keys.
        let mayHaveCopies = Self.haveEqualEnds(purchases, at: positions)
        var known: [PeriodKey: Int] = [:]
        var restoredLate: [Int: [Purchase]] = [:]
        for position in positions {
            let purchase = purchases[position]
            // A period with only one known date has no length. It doesn't provide access, but is listed.
            guard let start = purchase.purchaseDate ?? purchase.expirationDate else { continue }
            let expiration = purchase.expirationDate ?? start
            let isRestoredLate = start > expiration
            if mayHaveCopies, !purchase.sharesPeriod {
                let restored = PeriodKey(purchase, start: nil, expiration)
                let key = isRestoredLate ? restored : PeriodKey(purchase, start: start, expiration)
                if let position = known[key] {
                    if isRestoredLate {
                        restoredLate[position, default: []].append(purchase)
                    } else {
                        periods[position].append(purchase)
                    }
                    continue
                }
                known[key] = periods.count
                known[restored] = periods.count
            }
            periods.append(
                Period(
                    purchase, start: min(start, expiration), expiration: expiration,
                    isStartKnown: purchase.purchaseDate != nil && !isRestoredLate))
        }
        guard !periods.isEmpty else { return nil }
        for (position, purchases) in restoredLate { periods[position].prepend(purchases) }
        periods.sort { ($0.start, $0.expiration) < ($1.start, $1.expiration) }
        Self.findSuccessors(&periods)
        if let renewal { Self.apply(renewal, to: &periods) }
        self.original = original
        self.periods = periods
        self.renewal = renewal
    }

    /// Returns whether some of the purchases end in the same second, as copies do.
    private static func haveEqualEnds(_ purchases: [Purchase], at positions: [Int]) -> Bool {
        func end(_ position: Int) -> Double? {
            (purchases[position].expirationDate ?? purchases[position].purchaseDate)?.wholeSeconds
        }
        // Renewals end in the order of their starts.
        var latest = -Double.infinity
        let areInOrder = positions.allSatisfy { position in
            guard let end = end(position) else { return true }
            defer { latest = end }
            return end > latest
        }
        guard !areInOrder else { return false }
        let ends = positions.compactMap(end)
        return Set(ends).count < ends.count
    }

    private struct PeriodKey: Hashable {
        let product: String?
        /// Nil for copies that were restored after the end, which don't contain it.
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
        // The first later period, and the first later period of a product other than that one's.
        var next: Period.Successor?
        var nextOfOther: Period.Successor?
        var end = periods.count
        while end > 0 {
            // Periods that start in the same second don't succeed one another.
            let second = periods[end - 1].start.wholeSeconds
            var begin = end - 1
            while begin > 0, periods[begin - 1].start.wholeSeconds == second { begin -= 1 }
            let sharesStart = periods[begin..<end].contains { $0.product != periods[begin].product }
            for index in begin..<end {
                periods[index].sharesStart = sharesStart
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

    /// Returns whether a period of another product starts in a second.
    func hasStart(at second: Double, ofProductOtherThan product: String?) -> Bool {
        // The first of the periods that don't start earlier.
        var (low, high) = (0, periods.count)
        while low < high {
            let middle = (low + high) / 2
            if periods[middle].start.wholeSeconds < second { low = middle + 1 } else { high = middle }
        }
        guard low < periods.count, periods[low].start.wholeSeconds == second else { return false }
        return periods[low].sharesStart || periods[low].product != product
    }

    /// Applies renewal information to the last period that had ended when it was signed. Its grace period ends when a later period of any
    /// product begins.
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
    /// The period of another product that ended this one before its expiration date.
    ///
    /// Nil if the first known period of another product begins after the token with the upgrade was signed: it is a later renewal.
    var replacement: Successor? {
        let latest = min(expiration, upgradeSignedDate ?? expiration)
        return successor.flatMap { $0.start.wholeSeconds <= latest.wholeSeconds ? $0 : nil }
    }

    /// The end of the period, including the grace period.
    var endWithGrace: Date { max(expiration, graceEnd ?? expiration) }

    /// The end of access: the earliest of the end of the period and its grace period, the revocation, and the start of the next product.
    package var accessEnd: Date {
        if isUpgraded, replacement == nil, revocation == nil {
            // An upgrade ended the period at an unknown date.
            return start
        }
        return max(start, min(endWithGrace, successor?.start ?? endWithGrace, revocation?.date ?? endWithGrace))
    }

    /// Returns whether the period provides access at a date. The period includes its start but not its end.
    package func isActive(at date: Date) -> Bool { start <= date && date < accessEnd }
}

extension Subscription: CustomStringConvertible {
    /// The number of periods, without anything about the customer.
    package var description: String { "Subscription(\(periods.count) periods)" }
}
