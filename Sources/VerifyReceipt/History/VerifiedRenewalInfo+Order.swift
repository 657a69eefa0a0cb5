package import AppStoreSignedData

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
