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
    ///   - originals: The original transactions that are used from `receipts`; nil for all.
    package init(
        bundleIdentifier: String, environment: ReceiptEnvironment.Base?, receipts: [VerifiedReceipt],
        ownEvidence: [ReceiptEvidence] = [], transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo],
        originals: Set<String>? = nil
    ) {
        let isForApp = { (other: String?) in other?.utf8.elementsEqual(bundleIdentifier.utf8) == true }
        self.init(
            environment: environment,
            receipts: ownEvidence
                + receipts.filter { $0.environment == environment && isForApp($0.bundleIdentifier) }
                .map { $0.evidence.only(originals) },
            transactions: transactions.filter {
                $0.environment == environment && isForApp($0.claims.bundleIdentifier)
            }.map { TransactionEvidence(Purchase($0), from: .token, signed: $0.signedDate) },
            renewals: renewals.filter { $0.environment == environment }.compactMap(\.evidence))
    }
}

extension VerifiedRenewalInfo {
    /// The evidence in the token; nil if it doesn't contain an original transaction.
    fileprivate var evidence: RenewalEvidence? {
        guard let original = claims.originalTransactionIdentifier else { return nil }
        return RenewalEvidence(
            signedDate: signedDate, originalTransactionIdentifier: original,
            productIdentifier: claims.productIdentifier, willRenew: claims.autoRenewStatus.flatMap { $0.willRenew },
            expirationIntent: claims.expirationIntent?.rawValue,
            isInBillingRetryPeriod: claims.isInBillingRetryPeriod ?? false,
            gracePeriodExpirationDate: claims.gracePeriodExpirationDate, token: token)
    }
}

extension AutoRenewStatus {
    /// Whether the subscription will renew; nil for an unknown value.
    fileprivate var willRenew: Bool? { self == .on ? true : self == .off ? false : nil }
}
