public import AppStoreServerAPI

@available(AppStoreServerAPI 1.0, *)
extension FakeAppStoreServer {
    /// A request that the fake received, and how it was answered.
    public struct ReceivedRequest: Sendable, Hashable {
        /// The endpoint; nil if there is none at the path.
        public let endpoint: Endpoint?
        /// The environment.
        public let environment: SignedDataEnvironment
        /// The HTTP method.
        public let method: String
        /// The path as written, without host and `/sandbox`.
        public let path: String
        /// The values of each query parameter.
        public let query: [String: [String]]
        /// The body; nil for none.
        public let body: [UInt8]?
        /// The reason for 401; nil if the token is valid.
        public let authorizationFailure: AuthorizationFailure?
        /// The fault that was injected.
        public let fault: Fault?
        /// The HTTP status; nil if the connection was cut.
        public let status: Int?
    }
}
