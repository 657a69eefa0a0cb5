public import AppStoreSignedData

/// A notification, and the App Store's attempts to send it.
@available(AppStoreServerAPI 1.0, *)
public struct SentNotification: Sendable, Hashable {
    /// The verified notification, as it was first sent.
    public let notification: VerifiedNotification
    /// Members that aren't signed.
    public let unverified: Unverified

    /// Members that aren't signed.
    public struct Unverified: Sendable, Hashable {
        /// The attempts to send the notification, at most six.
        public let sendAttempts: [SendAttempt]
    }
}
