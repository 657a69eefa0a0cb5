#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// One transaction, as one signed source contains it.
package struct TransactionEvidence: Sendable {
    /// The kinds of sources.
    package enum Source: Int, Sendable {
        case receipt
        case token
    }

    package let source: Source
    /// The date the source was signed: a receipt's creation date, a token's signed date.
    package let signedDate: Date
    /// The values from this source only.
    package let purchase: Purchase

    package init(_ purchase: Purchase, from source: Source, signed signedDate: Date) {
        self.source = source
        self.signedDate = signedDate
        self.purchase = purchase
    }
}

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

extension Date {
    /// The whole seconds since 1970. Receipts have a precision of seconds and tokens of milliseconds, so copies are compared by seconds.
    var wholeSeconds: Double { timeIntervalSince1970.rounded(.down) }
}
