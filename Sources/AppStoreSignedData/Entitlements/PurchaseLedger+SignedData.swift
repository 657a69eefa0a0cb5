import AppReceiptFoundation
import AppReceiptKit

extension PurchaseLedger {
    /// Creates a ledger of the evidence of one app and environment.
    ///
    /// - Parameters:
    ///   - evidence: The evidence. That of other apps and environments is ignored.
    ///   - app: The bundle identifier.
    ///   - environment: The environment.
    ///   - ownEvidence: Evidence from receipts that are known to be for this app and environment.
    ///   - originals: The original transactions that are used from the receipts in `evidence`; nil for all.
    package init(
        _ evidence: CustomerEvidence, app: String, environment: AppStoreEnvironment?,
        ownEvidence: [ReceiptEvidence] = [], originals: Set<String>? = nil
    ) {
        let evidence = evidence.only(app: app, environment: environment)
        self.init(
            environment: environment,
            receipts: ownEvidence + evidence.receipts.map { $0.evidence.only(originals) },
            transactions: evidence.transactionReceipts.map(\.evidence)
                + evidence.transactions.map {
                    TransactionEvidence(AppStoreTransaction($0), from: .token, signed: $0.signedDate, token: $0.token)
                } + evidence.tombstones.map(\.evidence),
            renewals: evidence.renewals.compactMap(\.evidence) + evidence.notifications.compactMap(\.status))
    }
}

extension VerifiedRenewalInfo {
    /// The evidence in the token; nil if it doesn't contain an original transaction.
    fileprivate var evidence: RenewalEvidence? {
        guard let original = claims.originalTransactionIdentifier else { return nil }
        var evidence = RenewalEvidence(signedDate: signedDate, originalTransactionIdentifier: original)
        evidence.productIdentifier = claims.productIdentifier
        evidence.renewalProductIdentifier = claims.autoRenewProductIdentifier
        evidence.willRenew = claims.autoRenewStatus.flatMap { $0.willRenew }
        evidence.expirationIntent = claims.expirationIntent?.rawValue
        evidence.isInBillingRetryPeriod = claims.isInBillingRetryPeriod ?? false
        evidence.gracePeriodExpirationDate = claims.gracePeriodExpirationDate
        evidence.recentSubscriptionStartDate = claims.recentSubscriptionStartDate
        evidence.token = token
        return evidence
    }
}

extension VerifiedNotification {
    /// The signed status of the subscription, which counts as renewal information of the date of signing.
    fileprivate var status: RenewalEvidence? {
        guard let status = claims.status.flatMap({ RenewalEvidence.Status(rawValue: $0.rawValue) }),
            let original
        else { return nil }
        // The nested renewal information may be signed moments later, but describes the same state.
        var evidence = RenewalEvidence(
            signedDate: max(signedDate, renewalInfo?.signedDate ?? signedDate), originalTransactionIdentifier: original)
        evidence.status = status
        evidence.token = notification.token
        return evidence
    }
}

extension AutoRenewStatus {
    /// Whether the subscription will renew; nil for an unknown value.
    fileprivate var willRenew: Bool? { self == .on ? true : self == .off ? false : nil }
}
