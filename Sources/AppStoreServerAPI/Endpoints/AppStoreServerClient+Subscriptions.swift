import AppReceiptKit
import AppReceiptSupport
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets the subscriptions of a customer with their renewal information (Get All Subscription Statuses).
    ///
    /// If no subscription has the requested identifier, the requested transaction is requested and compared. If it is a subscription's, and
    /// shares neither an original transaction nor an app transaction with the answer, the answer is another customer's, which is an error
    /// with the code `answer-for-another-transaction`. So are subscriptions for a transaction that the App Store doesn't know.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the customer.
    ///   - statuses: Only subscriptions in these states; empty for all.
    /// - Returns: The verified subscriptions. One whose parts belong to different original transactions is rejected with the code
    ///   `answer-for-another-transaction`.
    /// - Throws: ``AppStoreServerError``.
    public func subscriptionStatuses(
        ofCustomer identifier: String, statuses: [SubscriptionStatus] = []
    ) async throws(AppStoreServerError) -> SubscriptionStatuses {
        try await subscriptionStatuses(ofCustomer: identifier, statuses: statuses, knowing: nil)
    }

    /// - Parameter history: The evidence of the customer's whole history, which contains every subscription. It makes another request
    ///   unnecessary.
    func subscriptionStatuses(
        ofCustomer identifier: String, statuses: [SubscriptionStatus] = [], knowing history: CustomerEvidence?
    ) async throws(AppStoreServerError) -> SubscriptionStatuses {
        let identifier = try APIRequest.checked(identifier, "customer's identifier")
        let response = try await send(
            APIRequest(
                endpoint: .subscriptionStatuses, path: ["inApps", "v1", "subscriptions", identifier],
                query: statuses.map { ("status", String($0.rawValue)) }))
        var listed: [(group: String?, item: APIResponse)] = []
        for group in try response.objects("data") {
            let identifier = try group.string("subscriptionGroupIdentifier")
            for item in try group.objects("lastTransactions") { listed.append((identifier, item)) }
        }
        let (subscriptions, rejected) = items(listed) { (entry) throws(AppStoreServerError) in
            try subscription(entry.item, group: entry.group)
        }
        var evidence = CustomerEvidence(identifier)
        evidence.add(subscriptions.map(\.transaction), rejected: rejected)
        for subscription in subscriptions { evidence.add(subscription.renewalInfo) }
        if history?.shares(with: evidence) != true {
            let isForeign = history.map { !$0.hasRejectedItems && !evidence.isNamed && !evidence.isEmpty } ?? false
            guard !isForeign else { throw Self.otherCustomer(response.environment) }
            try await confirm(
                evidence, of: identifier, content: statuses.isEmpty ? .everySubscription : .part,
                in: response.environment)
        }
        return SubscriptionStatuses(
            environment: response.environment, subscriptions: subscriptions, rejected: rejected,
            unverified: try UnverifiedAppMembers(response))
    }

    private func subscription(
        _ item: APIResponse, group: String?
    ) throws(AppStoreServerError) -> SubscriptionStatuses.Subscription {
        let transaction = try verifiedTransaction(try item.required("signedTransactionInfo"), in: item.environment)
        let renewalInfo = try verifiedRenewalInfo(try item.required("signedRenewalInfo"), in: item.environment)
        guard let original = transaction.claims.originalTransactionIdentifier,
            try item.string("originalTransactionId") ?? original == original,
            renewalInfo.claims.originalTransactionIdentifier == original
        else {
            throw AppStoreServerError(
                .answerForAnotherTransaction,
                "The transaction, the renewal information and the item name different original transactions.",
                in: item.environment)
        }
        return SubscriptionStatuses.Subscription(
            originalTransactionIdentifier: original, transaction: transaction, renewalInfo: renewalInfo,
            unverified: SubscriptionStatuses.Subscription.Unverified(
                status: try item.integer("status").map { SubscriptionStatus(rawValue: $0) },
                subscriptionGroupIdentifier: group))
    }
}
