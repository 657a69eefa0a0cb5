/// The tokens in the status of a subscription.
public struct SubscriptionStatusTokens: Sendable, Hashable {
    /// The token of the latest transaction.
    public let transaction: String

    /// The token of the renewal information.
    public let renewalInfo: String

    /// Creates a status from its tokens.
    ///
    /// - Parameters:
    ///   - transaction: The token of the latest transaction.
    ///   - renewalInfo: The token of the renewal information.
    public init(transaction: String, renewalInfo: String) {
        self.transaction = transaction
        self.renewalInfo = renewalInfo
    }
}
