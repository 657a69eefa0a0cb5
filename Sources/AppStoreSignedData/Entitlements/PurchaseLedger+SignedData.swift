import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension PurchaseLedger {
    /// Creates a ledger of one app and environment. Other evidence is ignored.
    ///
    /// - Parameters:
    ///   - ownEvidence: Evidence from receipts that are known to be for this app and environment.
    ///   - notifications: Notifications, of which only the signed status is used. Pass the transactions and renewal information in them too.
    ///   - originals: The original transactions that are used from `receipts`; nil for all.
    package init(
        bundleIdentifier: String, environment: ReceiptEnvironment.Base?, receipts: [VerifiedReceipt],
        ownEvidence: [ReceiptEvidence] = [], transactionReceipts: [VerifiedTransactionReceipt] = [],
        transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo],
        notifications: [VerifiedNotification] = [], originals: Set<String>? = nil
    ) {
        let isForApp = { (other: String?) in other?.utf8.elementsEqual(bundleIdentifier.utf8) == true }
        self.init(
            environment: environment,
            receipts: ownEvidence
                + receipts.filter { $0.environment == environment && isForApp($0.bundleIdentifier) }
                .map { $0.evidence.only(originals) },
            transactions: transactionReceipts.filter {
                $0.environment == environment && isForApp($0.bundleIdentifier)
            }.map(\.evidence)
                + transactions.filter {
                    $0.environment == environment && isForApp($0.claims.bundleIdentifier)
                }.map { TransactionEvidence(Purchase($0), from: .token, signed: $0.signedDate, token: $0.token) },
            renewals: renewals.filter { $0.environment == environment }.compactMap(\.evidence)
                + notifications.filter { $0.environment == environment && isForApp($0.claims.bundleIdentifier) }
                .compactMap(\.status))
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
