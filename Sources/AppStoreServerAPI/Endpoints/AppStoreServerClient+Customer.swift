import AppReceiptKit
import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets everything about a customer: the history of transactions, the subscriptions, and the entitlements derived from both.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the customer.
    ///   - progress: Called with each page of the history.
    /// - Returns: The verified purchases, and what the customer owns. Items that were rejected are listed, and have no effect.
    /// - Throws: ``AppStoreServerError``.
    public func purchases(
        ofCustomer identifier: String, progress: @Sendable (HistoryPage) -> Void = { _ in }
    ) async throws(AppStoreServerError) -> CustomerPurchases {
        let history = try await history(ofCustomer: identifier).collected(progress: progress)
        let statuses = try await statuses(ofCustomer: identifier, history: history)
        return CustomerPurchases(
            bundleIdentifier: bundleIdentifier, history: history, statuses: statuses,
            at: configuration.clock.now())
    }

    /// The subscriptions in the environment of the history; nil if the customer has none.
    private func statuses(
        ofCustomer identifier: String, history: PurchaseHistory
    ) async throws(AppStoreServerError) -> SubscriptionStatuses? {
        do throws(AppStoreServerError) {
            return try await restricted(to: history.environment).subscriptionStatuses(ofCustomer: identifier)
        } catch {
            let hasSubscription = history.transactions.contains {
                $0.claims.productType == .autoRenewableSubscription
            }
            // The history proves that the customer exists, so there is no subscription to find.
            let isNotFound = error.permitsNextEnvironment && error.code != .unauthenticated
            guard isNotFound, !hasSubscription, history.rejected.isEmpty else { throw error }
            return nil
        }
    }
}
