public import AppReceiptSupport
import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// Consumption information that the fake accepted.
    public struct Consumption: Sendable, Hashable {
        /// The version of the endpoint, 1 or 2.
        public let version: Int
        /// The transaction in the path.
        public let transactionIdentifier: String
        /// The request's body.
        public let body: JSONObject
    }
}
