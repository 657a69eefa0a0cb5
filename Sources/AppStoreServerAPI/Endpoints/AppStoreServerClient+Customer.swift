public import AppReceiptFoundation
public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
    /// Gets everything about a customer: the history of transactions, the subscriptions, and the entitlements derived
    /// from both.
    ///
    /// - Parameters:
    ///   - identifier: Any transaction identifier, original transaction identifier or app transaction identifier of the
    ///     customer.
    ///   - progress: Called with each page of the history.
    /// - Returns: The verified purchases, and what the customer owns. Items that were rejected are listed, and have no
    ///   effect.
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

    /// Returns the subscriptions in the environment of the history; nil if the customer has none.
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

    /// Everything that the App Store knows about a customer's purchases in the app, and what the customer owns.
    public struct CustomerPurchases: Sendable {
        /// The app.
        public let bundleIdentifier: String
        /// The environment of all purchases.
        public let environment: AppStoreEnvironment
        /// The history of transactions.
        public let history: PurchaseHistory
        /// The subscriptions.
        public let subscriptions: [SubscriptionStatuses.Subscription]
        /// The items of the history and of the subscriptions that were rejected.
        public let rejected: [RejectedItem]
        /// The customer's entitlements at the time of the request, but not before the newest evidence was signed.
        public let entitlements: Entitlements

        /// The verified transactions of the history and of the subscriptions. A transaction may occur twice, signed at
        /// different times.
        public var transactions: [VerifiedTransaction] { history.transactions + subscriptions.map(\.transaction) }

        /// The verified renewal information of the subscriptions.
        public var renewals: [VerifiedRenewalInfo] { subscriptions.map(\.renewalInfo) }

        init(
            bundleIdentifier: String, history: PurchaseHistory, statuses: SubscriptionStatuses?, at date: Date
        ) {
            self.bundleIdentifier = bundleIdentifier
            environment = history.environment
            self.history = history
            subscriptions = statuses?.subscriptions ?? []
            rejected = history.rejected + (statuses?.rejected ?? [])
            let transactions = history.transactions + subscriptions.map(\.transaction)
            let renewals = subscriptions.map(\.renewalInfo)
            let signedDates = transactions.map(\.signedDate) + renewals.map(\.signedDate)
            entitlements = Entitlements(
                bundleIdentifier: bundleIdentifier, environment: history.environment, transactions: transactions,
                renewals: renewals, at: signedDates.reduce(date) { max($0, $1) })
        }

        /// Derives what the customer owned or will own at another date.
        ///
        /// - Parameter date: The date.
        /// - Returns: The entitlements at that date.
        public func entitlements(at date: Date) -> Entitlements {
            Entitlements(
                bundleIdentifier: bundleIdentifier, environment: environment, transactions: transactions,
                renewals: renewals, at: date)
        }
    }
}
