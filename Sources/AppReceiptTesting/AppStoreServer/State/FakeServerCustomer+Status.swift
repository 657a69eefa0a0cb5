import AppReceiptSupport
import AppStoreServerAPI

extension FakeServerCustomer {
    /// How long the App Store retries billing after the end of a period: 60 days.
    private static let billingRetry: Int64 = 60 * 86_400_000

    /// The status of a subscription, from its latest period and renewal information.
    func status(of subscription: FakeServerTransaction, at time: Int64) -> SubscriptionStatus {
        if let status = statuses[subscription.original] { return SubscriptionStatus(rawValue: status) }
        if subscription.isRevoked(at: time) { return .revoked }
        guard let expiration = subscription.expiration, expiration <= time else { return .active }
        guard let renewal = renewals[subscription.original] else { return .expired }
        if let end = renewal.milliseconds("gracePeriodExpiresDate"), end > time { return .billingGracePeriod }
        let isRetried = renewal["isInBillingRetryPeriod"]?.boolean == true
        return isRetried && time < expiration + Self.billingRetry ? .billingRetry : .expired
    }

    /// The claims of a subscription's renewal information.
    ///
    /// The App Store always sends it. Without one, the subscription renews while it is active, and was canceled otherwise.
    func renewal(of subscription: FakeServerTransaction, at time: Int64) -> JSONObject {
        if let renewal = renewals[subscription.original] { return renewal }
        let status = status(of: subscription, at: time)
        var renewal: JSONObject = [
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
