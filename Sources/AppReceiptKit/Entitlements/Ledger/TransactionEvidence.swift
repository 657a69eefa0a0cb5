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
        /// A property list, which lists a single transaction and states no cancellation.
        case transactionReceipt
    }

    package let source: Source
    /// The date the source was signed: a receipt's creation date, a token's signed date.
    package let signedDate: Date
    /// The values from this source only.
    package let purchase: Purchase

    /// The token; empty for a receipt.
    package let token: String

    package init(_ purchase: Purchase, from source: Source, signed signedDate: Date, token: String = "") {
        self.source = source
        self.signedDate = signedDate
        self.purchase = purchase
        self.token = token
    }

    /// The order among the evidence of the transaction.
    var order: EvidenceOrder {
        EvidenceOrder(
            signedDate: signedDate, hasRevocation: purchase.hasRevocation, isUpgraded: purchase.isUpgraded == true,
            token: token)
    }
}
