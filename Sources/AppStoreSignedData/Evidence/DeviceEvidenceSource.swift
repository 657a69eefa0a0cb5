/// Returns the tokens of StoreKit 2 on a device.
///
/// ``DeviceEvidence`` verifies them, so a source only reads. `StoreKitSource` reads them from StoreKit; a test returns
/// its own.
public protocol DeviceEvidenceSource: Sendable {
    /// Returns the token of every transaction of the customer, including those that were refunded.
    func transactionTokens() async -> [String]

    /// Returns the tokens of every status of a subscription group. With family sharing, there is more than one.
    ///
    /// - Parameter identifier: The identifier of the subscription group.
    func statusTokens(ofSubscriptionGroup identifier: String) async throws -> [SubscriptionStatusTokens]

    /// Returns the token of the app transaction; nil if the system doesn't have one.
    func appTransactionToken() async throws -> String?
}

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
