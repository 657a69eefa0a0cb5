public import AppReceiptFoundation

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// The result of extending a subscription.
    public struct RenewalExtension: Sendable, Hashable {
        /// The subscription.
        public let originalTransactionIdentifier: String?
        /// The identifier of the period that was extended.
        public let webOrderLineItemIdentifier: String?
        /// Whether the subscription was extended.
        public let isSuccessful: Bool
        /// The new date of the renewal.
        public let effectiveDate: Date?
    }

    /// The progress of extending all subscriptions of a product.
    public struct ExtensionStatus: Sendable, Hashable {
        /// The identifier of the request.
        public let requestIdentifier: String?
        /// Whether the App Store has finished.
        public let isComplete: Bool
        /// When it finished.
        public let completionDate: Date?
        /// The number of subscriptions that were extended.
        public let succeededCount: Int64?
        /// The number of subscriptions that weren't extended.
        public let failedCount: Int64?
    }
}
