import AppReceiptKit

// The order of evidence (rule 2): of two copies, the newer one counts.

extension VerifiedTransaction {
    /// Whether this copy replaces another one of the same transaction.
    package func isNewer(than other: VerifiedTransaction) -> Bool { other.order < order }

    private var order: EvidenceOrder {
        EvidenceOrder(
            signedDate: signedDate, hasRevocation: claims.revocationDate != nil,
            isUpgraded: claims.isUpgraded == true, token: token)
    }
}

extension VerifiedRenewalInfo {
    /// Whether this copy replaces another one of the same original transaction.
    package func isNewer(than other: VerifiedRenewalInfo) -> Bool {
        (signedDate, token) > (other.signedDate, other.token)
    }
}

extension VerifiedNotification {
    /// Whether the signed status of this notification replaces that of another one of the same original transaction.
    package func isNewer(than other: VerifiedNotification) -> Bool {
        (signedDate, notification.token) > (other.signedDate, other.notification.token)
    }
}
