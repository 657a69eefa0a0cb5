package import AppReceiptFoundation

/// The renewal information of a subscription from one token, or from the signed status of a notification.
package struct RenewalEvidence: Sendable, Hashable {
    package var signedDate: Date
    /// The date the renewal information was signed, which may be older than the status; nil for a status alone.
    var renewalInformationDate: Date?
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
        renewalInformationDate = signedDate
        self.originalTransactionIdentifier = originalTransactionIdentifier
    }

    /// Returns the newest renewal information of each original transaction, with the newest status if that isn't older
    /// (rule 5 of WhatACustomerOwns).
    static func newest(of renewals: [RenewalEvidence]) -> [String: RenewalEvidence] {
        var newest: [String: RenewalEvidence] = [:]
        var statuses: [String: RenewalEvidence] = [:]
        func keep(_ evidence: RenewalEvidence, in known: inout [String: RenewalEvidence]) {
            let other = known[evidence.originalTransactionIdentifier]
            if let other, other.order >= evidence.order { return }
            known[evidence.originalTransactionIdentifier] = evidence
        }
        for renewal in renewals {
            if renewal.status == nil { keep(renewal, in: &newest) } else { keep(renewal, in: &statuses) }
        }
        for (original, status) in statuses {
            let renewal = newest[original]
            if let renewal, renewal.signedDate > status.signedDate { continue }
            newest[original] = status.completed(by: renewal)
        }
        return newest
    }

    private var order: EvidenceOrder { EvidenceOrder(signedDate: signedDate, token: token) }

    /// Returns the status with the members of older renewal information that it doesn't contradict.
    private func completed(by renewal: RenewalEvidence?) -> RenewalEvidence {
        var completed = renewal ?? self
        completed.signedDate = signedDate
        completed.renewalInformationDate = renewal?.signedDate
        completed.status = status
        completed.isInBillingRetryPeriod = status == .billingRetry || status == .gracePeriod
        switch status {
        case .gracePeriod: break
        case .billingRetry:
            completed.gracePeriodExpirationDate = renewal?.gracePeriodExpirationDate.map { min($0, signedDate) }
        case .expired: completed.gracePeriodExpirationDate = nil
        case .active, .revoked, nil:
            completed.gracePeriodExpirationDate = nil
            completed.expirationIntent = nil
        }
        return completed
    }
}
