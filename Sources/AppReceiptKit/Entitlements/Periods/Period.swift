package import AppReceiptFoundation
import AppReceiptSupport

extension Subscription {
    /// A paid period or a free trial.
    package struct Period: Sendable, Hashable {
        package let start: Date
        package let expiration: Date
        /// Whether `start` is the date the period began. A copy that was restored after the end has the date of the
        /// restoration.
        let isStartKnown: Bool
        /// Whether the evidence contains `expiration`.
        let isEndKnown: Bool
        /// The transaction and its copies, at least one: first the copies that were restored after the end, then the
        /// others, oldest first.
        package let copies: [AppStoreTransaction]
        /// The position among the copies of the transaction to report.
        private let reported: Int
        /// Whether a token shows that an upgrade ended the period.
        let isUpgraded: Bool
        /// The date of the newest token that contains the upgrade.
        let upgradeSignedDate: Date?
        /// The next period of another product, which ends this one.
        var successor: Successor?
        /// The billing grace period that follows this period.
        var grace: Grace?
        /// Whether the newest renewal information is about the end of this period.
        var isSubjectOfRenewal = false

        /// A period that began later, of another product of the same subscription.
        package struct Successor: Sendable, Hashable {
            let product: ExactString?
            let start: Date
        }

        /// Returns nil for transactions without a date.
        ///
        /// - Parameter copies: The transaction and its copies, oldest first.
        init?(copies: [AppStoreTransaction]) {
            // Copies that were restored after the end don't show the start.
            let begun = copies.count == 1 ? copies : copies.filter { !$0.isRestoredAfterEnd }
            let ordered = begun.count == copies.count ? copies : copies.filter(\.isRestoredAfterEnd) + begun
            guard !ordered.isEmpty else { return nil }
            var (start, end): (Date?, Date?)
            var isStartKnown = false
            var revoked: Int?
            var (isUpgraded, upgradeSignedDate): (Bool, Date?) = (false, nil)
            for transaction in begun.isEmpty ? ordered : begun {
                // A period with only one known date has no length. It doesn't provide access, but is listed.
                if let date = transaction.purchaseDate ?? transaction.expirationDate {
                    start = min(start ?? date, date)
                }
                if transaction.purchaseDate != nil, !transaction.isRestoredAfterEnd { isStartKnown = true }
            }
            for (position, transaction) in ordered.enumerated() {
                if let date = transaction.expirationDate { end = max(end ?? date, date) }
                if transaction.isUpgraded == true { isUpgraded = true }
                if let date = transaction.upgradeSignedDate { upgradeSignedDate = max(upgradeSignedDate ?? date, date) }
                guard let own = transaction.revocation else { continue }
                let earliest = revoked.flatMap { ordered[$0].revocation }
                if earliest.map({ own.date <= $0.date }) ?? true { revoked = position }
            }
            guard let start else { return nil }
            self.copies = ordered
            self.start = min(start, end ?? start)
            expiration = end ?? start
            self.isStartKnown = isStartKnown
            isEndKnown = end != nil
            reported = revoked ?? ordered.count - 1
            self.isUpgraded = isUpgraded
            self.upgradeSignedDate = upgradeSignedDate
        }
    }
}

extension Subscription.Period {
    /// A billing grace period.
    package struct Grace: Sendable, Hashable {
        let end: Date
        /// Whether Apple signed the end.
        let isEndKnown: Bool

        /// The longest grace period. Source: Apple, Enable billing grace period for auto-renewable subscriptions.
        static let maxSeconds: Double = 28 * 86_400

        /// - Parameters:
        ///   - renewal: The renewal information.
        ///   - expiration: The end of the period before.
        ///   - next: The start of the next period, which ends the grace period.
        init?(_ renewal: RenewalEvidence, after expiration: Date, until next: Date?) {
            let known = renewal.gracePeriodExpirationDate.flatMap { $0 > expiration ? $0 : nil }
            guard known != nil || renewal.status == .gracePeriod else { return nil }
            let end = known ?? expiration.addingTimeInterval(Self.maxSeconds)
            self.end = next.map { min($0, end) } ?? end
            isEndKnown = known != nil || next.map { $0 < end } ?? false
            guard self.end > expiration else { return nil }
        }
    }

    /// The transaction to report: the one that was revoked, otherwise the last copy.
    package var transaction: AppStoreTransaction { copies[reported] }

    /// The product.
    var product: ExactString? { transaction.productIdentifier.map { ExactString($0) } }

    /// The earliest revocation of any copy, which applies to all copies.
    var revocation: AppStoreTransaction.Revocation? { transaction.revocation }

    /// Whether the period ran: it has a known start, and wasn't revoked before it.
    var hasRun: Bool { isStartKnown && revocation.map { $0.date >= start } ?? true }

    /// The period of another product that ended this one before its expiration date.
    ///
    /// Nil if the first known period of another product begins after the token with the upgrade was signed: it is a
    /// later renewal.
    var replacement: Successor? {
        let latest = min(expiration, upgradeSignedDate ?? expiration)
        return successor.flatMap { $0.start.wholeSeconds <= latest.wholeSeconds ? $0 : nil }
    }

    /// Returns whether a token of the period was signed before its start, and after the end of a period before it:
    /// another period ran in between.
    func isSignedEarly(after end: Date) -> Bool { copies.contains { $0.earlySignedDate.map { $0 >= end } ?? false } }

    /// The end of the period, including the grace period.
    var endWithGrace: Date { grace?.end ?? expiration }

    /// The end of the period, including a grace period whose end Apple signed.
    var knownEnd: Date? { isEndKnown ? (grace?.isEndKnown == true ? endWithGrace : expiration) : nil }

    /// The end of access: the earliest of the end of the period and its grace period, the revocation, and the start of
    /// the next product.
    package var accessEnd: Date {
        if isUpgraded, replacement == nil, revocation?.isFromReceiptAlone != true {
            // An upgrade ended the period at an unknown date.
            return start
        }
        return max(start, min(endWithGrace, successor?.start ?? endWithGrace, revocation?.date ?? endWithGrace))
    }

    /// Returns whether the period provides access at a date. The period includes its start but not its end.
    package func isActive(at date: Date) -> Bool { start <= date && date < accessEnd }

    /// Returns whether the period was revoked by a date.
    func isRevoked(by date: Date) -> Bool { revocation.map { $0.date <= date } ?? false }
}
