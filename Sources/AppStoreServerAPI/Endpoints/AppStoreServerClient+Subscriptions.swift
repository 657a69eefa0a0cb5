public import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the subscriptions of a customer with their renewal information (Get All Subscription Statuses).
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the
    ///     customer.
    ///   - statuses: Only subscriptions in these states; empty for all.
    /// - Returns: The verified subscriptions. One whose parts belong to different original transactions is rejected
    ///   with the code `answer-for-another-transaction`.
    /// - Throws: ``AppStoreServerError``.
    public func subscriptionStatuses(
        ofCustomer identifier: String, statuses: [SubscriptionStatus] = []
    ) async throws(AppStoreServerError) -> SubscriptionStatuses {
        let response = try await send(
            APIRequest(
                .subscriptionStatuses, about: ["customer's identifier": identifier],
                query: statuses.map { ("status", String($0.rawValue)) }))
        var listed: [(group: String?, item: APIResponse)] = []
        for group in try response.objects("data") {
            let identifier = try group.string("subscriptionGroupIdentifier")
            for item in try group.objects("lastTransactions") { listed.append((identifier, item)) }
        }
        let (subscriptions, rejected) = items(listed) { (entry) throws(AppStoreServerError) in
            try subscription(entry.item, group: entry.group)
        }
        return SubscriptionStatuses(
            environment: response.environment, subscriptions: subscriptions, rejected: rejected,
            unverified: try AppMembers(response))
    }

    private func subscription(
        _ item: APIResponse, group: String?
    ) throws(AppStoreServerError) -> SubscriptionStatuses.Subscription {
        let transaction = try verifiedTransaction(try item.required("signedTransactionInfo"), in: item.environment)
        let renewalInfo = try verified(
            item.required("signedRenewalInfo"), in: item.environment, by: verifier.verifyRenewalInfo(_:expecting:now:))
        guard let original = transaction.claims.originalTransactionIdentifier,
            try item.string("originalTransactionId") ?? original == original,
            renewalInfo.claims.originalTransactionIdentifier == original
        else {
            throw AppStoreServerError(
                .answerForAnotherTransaction,
                message: "The transaction, the renewal information and the item name different original transactions.",
                in: item.environment)
        }
        return SubscriptionStatuses.Subscription(
            originalTransactionIdentifier: original, transaction: transaction, renewalInfo: renewalInfo,
            unverified: SubscriptionStatuses.Subscription.Unverified(
                status: try item.integer("status").map { SubscriptionStatus(rawValue: $0) },
                subscriptionGroupIdentifier: group))
    }

    /// The subscriptions of a customer.
    public struct SubscriptionStatuses: Sendable {
        /// The environment of the request, which every transaction and renewal information names.
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
