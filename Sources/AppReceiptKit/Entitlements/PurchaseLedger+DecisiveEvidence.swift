package import AppReceiptFoundation
import AppReceiptParsing

/// The kinds of signed evidence of a purchase. The raw values are those of the API.
package enum EvidenceKind: String, Sendable {
    case receipt, transactionReceipt, transaction, renewalInfo, notification
}

extension PurchaseLedger {
    /// The signed data that decided the state of an entitlement.
    package struct DecisiveEvidence: Sendable, Hashable {
        package let kind: EvidenceKind
        /// The date it was signed.
        package let signedDate: Date
    }

    /// Returns the signed data that decided the state of each entitlement of this ledger: that of the revocation, of
    /// the renewal, or of the transaction. Of several, the newest. Nil for an entitlement of another ledger.
    ///
    /// - Parameter entitlements: Entitlements from this ledger.
    package func decisiveEvidence(for entitlements: [Entitlement]) -> [DecisiveEvidence?] {
        let newest = newestEvidence { _ in true }
        let newestRevocations = newestEvidence(where: \.hasRevocation)
        let newestReceipt = receipts.map(\.creationDate).max()
            .map { DecisiveEvidence(kind: .receipt, signedDate: $0) }
        return entitlements.map { entitlement in
            let renewal = entitlement.originalTransactionIdentifier.flatMap { renewals[$0] }.map(decisive)
            let transaction = entitlement.transactionIdentifier.flatMap { newest[$0] }
            switch (entitlement.state, entitlement.basis.expiration) {
            case (.gracePeriod, _), (.billingRetry, _), (.expired, .intent): return renewal ?? transaction
            case (.expired, .receipt): return newestReceipt
            case (.refunded, _), (.revoked, _):
                return entitlement.transactionIdentifier.flatMap { newestRevocations[$0] } ?? renewal ?? transaction
            default: return transaction
            }
        }
    }

    /// Returns the newest signed data that contains each transaction, by transaction.
    private func newestEvidence(
        where isIncluded: (AppStoreTransaction) -> Bool
    ) -> [String: DecisiveEvidence] {
        var newest: [String: DecisiveEvidence] = [:]
        func add(_ transaction: AppStoreTransaction, _ kind: EvidenceKind, signed date: Date) {
            guard let identifier = transaction.transactionIdentifier, isIncluded(transaction) else { return }
            guard newest[identifier].map({ $0.signedDate < date }) ?? true else { return }
            newest[identifier] = DecisiveEvidence(kind: kind, signedDate: date)
        }
        for receipt in receipts {
            for transaction in receipt.transactions { add(transaction, .receipt, signed: receipt.creationDate) }
        }
        for evidence in signedTransactions {
            let kind: EvidenceKind =
                evidence.source == .transactionReceipt ? .transactionReceipt : .transaction
            add(evidence.transaction, kind, signed: evidence.signedDate)
        }
        return newest
    }

    private func decisive(_ renewal: RenewalEvidence) -> DecisiveEvidence {
        DecisiveEvidence(
            kind: renewal.status == nil ? .renewalInfo : .notification, signedDate: renewal.signedDate)
    }
}
