import AppReceiptSupport
import AppStoreServerAPI

/// A customer in one app and environment: the transactions that any of their identifiers leads to.
struct Customer {
    /// The number of the customer, which revisions contain.
    let number: Int
    var transactions: [StoredTransaction] = []
    /// The renewal information, by original transaction.
    var renewals: [String: AppStoreJSON.Object] = [:]
    /// The claims of the app transaction.
    var appTransaction: AppStoreJSON.Object?
    /// The statuses that aren't derived, by original transaction.
    var statuses: [String: Int64] = [:]
    /// The account tokens that were set, by original transaction. Later renewals have them too.
    var accountTokens: [String: String] = [:]
    /// The extensions of renewal dates, by original transaction.
    var extensions: [String: [Extension]] = [:]
    /// The claimed seats, by transaction.
    var seats: [String: [SeatClaim]] = [:]

    /// An extension of a subscription's renewal date.
    struct Extension {
        let requestIdentifier: String
        /// The date of the request, in milliseconds.
        let time: Int64
        /// The response, which a repeated request gets too.
        let response: AppStoreJSON.Object
    }

    /// A claimed seat of a purchase for several people.
    struct SeatClaim {
        let identifier: String
        let requestIdentifier: String
        /// The member, if known.
        var appTransaction: String?
    }

    var appTransactionIdentifier: String? { appTransaction?.string("appTransactionId") }

    /// Whether an identifier of a transaction, original transaction or app transaction is the customer's.
    func has(_ identifier: String) -> Bool {
        appTransactionIdentifier == identifier || hasTransaction(identifier)
            || transactions.contains { $0.members.string("appTransactionId") == identifier }
    }

    /// Whether an identifier of a transaction or original transaction is the customer's.
    func hasTransaction(_ identifier: String) -> Bool {
        renewals[identifier] != nil
            || transactions.contains { $0.identifier == identifier || $0.original == identifier }
    }

    /// Returns the transaction with an identifier. For an original that isn't known itself, the first of its
    /// transactions.
    func transaction(_ identifier: String) -> StoredTransaction? {
        transactions.first { $0.identifier == identifier } ?? transactions.first { $0.original == identifier }
    }

    /// The latest period of each subscription, in the order of the originals.
    var subscriptions: [StoredTransaction] {
        var latest: [StoredTransaction] = []
        for transaction in transactions where transaction.isSubscription {
            guard let index = latest.firstIndex(where: { $0.original == transaction.original }) else {
                latest.append(transaction)
                continue
            }
            if transaction.purchase >= latest[index].purchase { latest[index] = transaction }
        }
        return latest
    }

    /// Returns the latest period of a subscription.
    func subscription(_ original: String) -> StoredTransaction? {
        subscriptions.first { $0.original == original }
    }

    // MARK: Status

    /// The time for which the App Store retries billing after the end of a period: 60 days.
    private static let billingRetry: Int64 = 60 * 86_400_000

    /// Returns the status of a subscription, from its latest period and renewal information.
    func status(of subscription: StoredTransaction, at time: Int64) -> SubscriptionStatus {
        if let status = statuses[subscription.original] { return SubscriptionStatus(rawValue: status) }
        if subscription.isRevoked(at: time) { return .revoked }
        guard let expiration = subscription.expiration, expiration <= time else { return .active }
        guard let renewal = renewals[subscription.original] else { return .expired }
        if let end = renewal.milliseconds("gracePeriodExpiresDate"), end > time { return .billingGracePeriod }
        let isRetried = renewal["isInBillingRetryPeriod"]?.boolean == true
        return isRetried && time < expiration + Self.billingRetry ? .billingRetry : .expired
    }

    /// Returns the claims of a subscription's renewal information.
    ///
    /// The App Store always sends it. Without one, the subscription renews while it is active, and was canceled
    /// otherwise.
    func renewal(of subscription: StoredTransaction, at time: Int64) -> AppStoreJSON.Object {
        if let renewal = renewals[subscription.original] { return renewal }
        let status = status(of: subscription, at: time)
        var renewal: AppStoreJSON.Object = [
            "originalTransactionId": .string(subscription.original),
            "autoRenewProductId": .string(subscription.product), "productId": .string(subscription.product),
            "autoRenewStatus": status == .active ? 1 : 0,
        ]
        renewal["environment"] = subscription.members["environment"]
        if status == .active { renewal["renewalDate"] = subscription.members["expiresDate"] }
        if status == .expired { renewal["expirationIntent"] = 1 }
        return renewal
    }
}

/// A transaction of a customer.
struct StoredTransaction {
    /// The claims, without those that depend on the time of the request.
    var members: AppStoreJSON.Object
    /// The number of the last change of any transaction: the order of histories.
    var modification: Int
    /// Whether the app finished it.
    var isFinished = false

    var identifier: String { members.string("transactionId") ?? "" }
    var original: String { members.string("originalTransactionId") ?? identifier }
    var product: String { members.string("productId") ?? "" }
    var type: SignedProductType? { members.string("type").map { SignedProductType(rawValue: $0) } }
    var isSubscription: Bool { type == .autoRenewableSubscription }
    var purchase: Int64 { members.milliseconds("purchaseDate") ?? 0 }
    var expiration: Int64? { members.milliseconds("expiresDate") }
    var revocation: Int64? { members.milliseconds("revocationDate") }
    var ownership: String { members.string("inAppOwnershipType") ?? PurchaseOwnership.purchased.rawValue }

    /// Whether the purchase was refunded or revoked before this time.
    func isRevoked(at time: Int64) -> Bool { revocation.map { $0 <= time } ?? false }
}
