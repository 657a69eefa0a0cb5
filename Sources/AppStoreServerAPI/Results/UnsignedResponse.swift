public import AppReceiptKit

/// A response that Apple doesn't sign. Only the connection to the App Store's server protects it.
@available(AppStoreServerAPI 1.0, *)
public struct UnsignedResponse<Value: Sendable>: Sendable {
    /// The environment that was asked.
    public let environment: ReceiptEnvironment.Base
    /// The contents of the response.
    public let unverified: Value
}
