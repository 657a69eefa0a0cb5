package import AppStoreSignedData

extension VerifiedRenewalInfo {
    /// Whether this copy replaces another one of the same original transaction.
    package func isNewer(than other: VerifiedRenewalInfo) -> Bool {
        (signedDate, token) > (other.signedDate, other.token)
    }
}
