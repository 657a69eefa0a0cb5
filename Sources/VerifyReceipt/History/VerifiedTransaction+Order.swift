import AppReceiptKit
package import AppStoreSignedData

extension VerifiedTransaction {
    /// Whether this copy replaces another one of the same transaction.
    package func isNewer(than other: VerifiedTransaction) -> Bool { other.order < order }

    private var order: EvidenceOrder {
        EvidenceOrder(
            signedDate: signedDate, hasRevocation: claims.revocationDate != nil,
            isUpgraded: claims.isUpgraded == true, token: token)
    }
}
