public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// The subscriptions of a customer.
    public struct SubscriptionStatuses: Sendable {
        /// The environment that was asked, which every transaction and renewal information names.
        public let environment: AppStoreEnvironment
        /// The subscriptions, in the App Store's order.
        public let subscriptions: [Subscription]
        /// The items that were rejected. The index counts the subscriptions of all groups.
        public let rejected: [RejectedItem]
        /// Members that aren't signed.
        public let unverified: AppMembers

        /// A subscription.
        public struct Subscription: Sendable, Hashable {
            /// The identifier of the original transaction, which the transaction and the renewal information name.
            public let originalTransactionIdentifier: String
            /// The latest transaction.
            public let transaction: VerifiedTransaction
            /// The renewal information.
            public let renewalInfo: VerifiedRenewalInfo
            /// Members that aren't signed.
            public let unverified: Unverified

            /// Members that aren't signed.
            public struct Unverified: Sendable, Hashable {
                /// The state of the subscription. Derive access from `Entitlements` instead.
                public let status: SubscriptionStatus?
                /// The subscription group.
                public let subscriptionGroupIdentifier: String?
            }
        }
    }
}
