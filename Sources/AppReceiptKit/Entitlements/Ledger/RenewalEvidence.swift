#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The renewal information of a subscription from one token, or from the signed status of a notification.
package struct RenewalEvidence: Sendable, Hashable {
    package var signedDate: Date
    package let originalTransactionIdentifier: String
    package var productIdentifier: String?
    /// The product of the next period.
    package var renewalProductIdentifier: String?
    package var willRenew: Bool?
    package var expirationIntent: Int64?
    package var isInBillingRetryPeriod = false
    package var gracePeriodExpirationDate: Date?
    /// The date the current uninterrupted subscription began.
    package var recentSubscriptionStartDate: Date?
    /// The state of the subscription.
    package var status: Status?
    /// The token, which orders tokens of the same date, so that the order of arrival has no effect.
    package var token = ""

    /// The state of a subscription in a notification. Source: Apple, status.
    package enum Status: Int64, Sendable {
        case active = 1
        case expired = 2
        case billingRetry = 3
        case gracePeriod = 4
        case revoked = 5
    }

    package init(signedDate: Date, originalTransactionIdentifier: String) {
        self.signedDate = signedDate
        self.originalTransactionIdentifier = originalTransactionIdentifier
    }

    /// Returns the newest renewal information of each original transaction (rule 5).
    static func newest(of renewals: [RenewalEvidence]) -> [String: RenewalEvidence] {
        var newest: [String: RenewalEvidence] = [:]
        for renewal in renewals.sorted(by: isOlder) {
            let original = renewal.originalTransactionIdentifier
            newest[original] = renewal.completed(by: newest[original])
        }
        return newest
    }

    /// Sorts by date. At equal dates, a status follows the renewal information that its notification contains.
    private static func isOlder(_ left: RenewalEvidence, than right: RenewalEvidence) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        let numbers = (left.status?.rawValue ?? 0, right.status?.rawValue ?? 0)
        return numbers.0 == numbers.1 ? left.token < right.token : numbers.0 < numbers.1
    }

    /// Returns this evidence with the members that a status lacks from older renewal information.
    ///
    /// Renewal information is complete, so it replaces older evidence. A status replaces what it contradicts.
    private func completed(by older: RenewalEvidence?) -> RenewalEvidence {
        guard let status else { return self }
        var completed = older ?? self
        completed.signedDate = signedDate
        completed.status = status
        completed.isInBillingRetryPeriod = status == .billingRetry || status == .gracePeriod
        if status != .expired { completed.expirationIntent = nil }
        if status != .gracePeriod && status != .billingRetry { completed.gracePeriodExpirationDate = nil }
        return completed
    }
}
