package import AppReceiptFoundation
import AppReceiptParsing

extension PurchaseLedger {
    /// The signed data that decided the state of an entitlement.
    package struct DecisiveEvidence: Sendable, Hashable {
        /// The kinds of signed data. The raw values are those of the API.
        package enum Kind: String, Sendable {
            case receipt
            case transactionReceipt
            case transaction
            case renewalInfo
            case notification
        }

        package let kind: Kind
        /// When it was signed.
        package let signedDate: Date
    }

    /// Returns the signed data that decided the state of an entitlement of this ledger: that of the revocation, of the
    /// renewal, or of the transaction. Of several, the newest.
    ///
    /// - Parameter entitlement: An entitlement from this ledger.
    package func decisiveEvidence(for entitlement: Entitlement) -> DecisiveEvidence? {
        let renewal = entitlement.originalTransactionIdentifier.flatMap { renewals[$0] }
        switch (entitlement.state, entitlement.basis.expiration) {
        case (.gracePeriod, _), (.billingRetry, _), (.expired, .intent):
            return renewal.map(decisive) ?? newestEvidence(of: entitlement.transactionIdentifier)
        case (.expired, .receipt):
            let newest = receipts.max { $0.creationDate < $1.creationDate }
            return newest.map { DecisiveEvidence(kind: .receipt, signedDate: $0.creationDate) }
        case (.refunded, _), (.revoked, _):
            return newestEvidence(of: entitlement.transactionIdentifier, where: \.hasRevocation)
                ?? renewal.map(decisive) ?? newestEvidence(of: entitlement.transactionIdentifier)
        default:
            return newestEvidence(of: entitlement.transactionIdentifier)
        }
    }

    /// The newest signed data that contains a transaction.
    private func newestEvidence(
        of identifier: String?, where isIncluded: (AppStoreTransaction) -> Bool = { _ in true }
    ) -> DecisiveEvidence? {
        func decides(_ transaction: AppStoreTransaction) -> Bool {
            identifier != nil && transaction.transactionIdentifier == identifier && isIncluded(transaction)
        }
        let listed = receipts.filter { $0.transactions.contains(where: decides) }
            .map { DecisiveEvidence(kind: .receipt, signedDate: $0.creationDate) }
        let signed = signedTransactions.filter { decides($0.transaction) }.map { evidence in
            DecisiveEvidence(
                kind: evidence.source == .transactionReceipt ? .transactionReceipt : .transaction,
                signedDate: evidence.signedDate)
        }
        return (listed + signed).max { $0.signedDate < $1.signedDate }
    }

    private func decisive(_ renewal: RenewalEvidence) -> DecisiveEvidence {
        DecisiveEvidence(
            kind: renewal.status == nil ? .renewalInfo : .notification, signedDate: renewal.signedDate)
    }
}
