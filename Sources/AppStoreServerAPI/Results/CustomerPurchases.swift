public import AppReceiptFoundation
public import AppReceiptKit
public import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient {
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
        /// What the customer owns at the time of the request, but not before the newest evidence was signed.
        public let entitlements: Entitlements

        /// The verified transactions of the history and of the subscriptions. A transaction may occur twice, signed at different times.
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
