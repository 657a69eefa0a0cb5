/// Verified signed data of any kind.
public enum VerifiedSignedData: Sendable, Hashable {
    /// A transaction.
    case transaction(VerifiedTransaction)
    /// Renewal information.
    case renewalInfo(VerifiedRenewalInfo)
    /// An app transaction.
    case appTransaction(VerifiedAppTransaction)
    /// A notification with its verified data.
    case notification(VerifiedNotification)
}
