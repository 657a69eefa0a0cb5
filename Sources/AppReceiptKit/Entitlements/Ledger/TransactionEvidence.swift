package import AppReceiptFoundation
import AppReceiptSupport

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
    /// Whether only the revocation and the upgrade are known of the transaction. Alone, it doesn't grant anything.
    package let isTombstone: Bool
    /// The date the source was signed: a receipt's creation date, a token's signed date.
    package let signedDate: Date
    /// The values from this source only.
    package let transaction: AppStoreTransaction

    /// The token; empty for a receipt.
    package let token: String

    package init(
        _ transaction: AppStoreTransaction, from source: Source, signed signedDate: Date, token: String = "",
        isTombstone: Bool = false
    ) {
        self.source = source
        self.signedDate = signedDate
        self.transaction = transaction
        self.token = token
        self.isTombstone = isTombstone
    }

    /// Returns what decides about the revocation of a transaction, whichever older evidence is added later; nil without
    /// evidence.
    ///
    /// - Parameter evidence: The evidence of the transaction from one kind of source.
    package static func tombstone(of evidence: [TransactionEvidence]) -> TransactionEvidence? {
        guard let first = evidence.first, let date = evidence.map(\.signedDate).max() else { return nil }
        return TransactionEvidence(
            TransactionMerge.merged(first, with: Array(evidence.dropFirst())), from: first.source, signed: date,
            isTombstone: true)
    }

    /// The order among the evidence of the transaction.
    var order: EvidenceOrder {
        EvidenceOrder(
            signedDate: signedDate, hasRevocation: transaction.hasRevocation,
            isUpgraded: transaction.isUpgraded == true, token: token)
    }
}

/// The order of evidence about one transaction, or of renewal information about one subscription. The greatest one
/// counts.
///
/// Newer evidence follows older evidence. At equal dates a revocation follows, then an upgrade. Otherwise the tokens
/// decide, so that the order of arrival has no effect.
package struct EvidenceOrder: Sendable, Hashable, Comparable {
    /// The date the evidence was signed.
    package let signedDate: Date
    /// Whether it states a revocation.
    package let hasRevocation: Bool
    /// Whether it states an upgrade.
    package let isUpgraded: Bool
    /// The token; empty for a receipt.
    package let token: String

    package init(signedDate: Date, hasRevocation: Bool = false, isUpgraded: Bool = false, token: String = "") {
        self.signedDate = signedDate
        self.hasRevocation = hasRevocation
        self.isUpgraded = isUpgraded
        self.token = token
    }

    package static func < (left: EvidenceOrder, right: EvidenceOrder) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        if left.hasRevocation != right.hasRevocation { return right.hasRevocation }
        if left.isUpgraded != right.isUpgraded { return right.isUpgraded }
        return left.token < right.token
    }
}
