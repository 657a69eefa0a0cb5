#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The renewal information of a subscription from one token.
package struct RenewalEvidence: Sendable, Hashable {
    package let signedDate: Date
    package let originalTransactionIdentifier: String
    package let productIdentifier: String?
    package let willRenew: Bool?
    package let expirationIntent: Int64?
    package let isInBillingRetryPeriod: Bool
    package let gracePeriodExpirationDate: Date?
    /// The token, which orders tokens of the same date, so that the order of arrival has no effect.
    package let token: String

    package init(
        signedDate: Date, originalTransactionIdentifier: String, productIdentifier: String?, willRenew: Bool?,
        expirationIntent: Int64?, isInBillingRetryPeriod: Bool, gracePeriodExpirationDate: Date?, token: String
    ) {
        self.signedDate = signedDate
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.productIdentifier = productIdentifier
        self.willRenew = willRenew
        self.expirationIntent = expirationIntent
        self.isInBillingRetryPeriod = isInBillingRetryPeriod
        self.gracePeriodExpirationDate = gracePeriodExpirationDate
        self.token = token
    }
}
