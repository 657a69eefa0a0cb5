public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

/// The claims of renewal information, by default of a sandbox subscription that will renew.
public struct TestRenewalInfo: TestClaims {
    /// The original transaction identifier of the subscription.
    public var originalTransactionIdentifier: String
    /// The product.
    public var productIdentifier: String
    /// The product that will renew. Nil for ``productIdentifier``.
    public var autoRenewProductIdentifier: String?
    /// Whether the subscription will renew.
    public var autoRenewStatus: AutoRenewStatus = .on
    /// The date of the renewal.
    public var renewalDate: Date?
    /// The end of the grace period, in which the customer keeps access although billing failed.
    public var gracePeriodExpirationDate: Date?
    /// The reason for the expiration.
    public var expirationIntent: ExpirationIntent?
    /// Whether the App Store tries to bill the customer again.
    public var isInBillingRetryPeriod: Bool?
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: AppStoreJSON] = [:]

    /// Creates renewal information of a subscription.
    public init(_ product: String, original: String) {
        productIdentifier = product
        originalTransactionIdentifier = original
    }

    /// The members that are signed.
    public var members: AppStoreJSON.Object {
        var members: AppStoreJSON.Object = [
            "originalTransactionId": .string(originalTransactionIdentifier),
            "autoRenewProductId": .string(autoRenewProductIdentifier ?? productIdentifier),
            "productId": .string(productIdentifier),
            "autoRenewStatus": .number(AppStoreJSON.Number(autoRenewStatus.rawValue)),
            "signedDate": .date(signedDate),
            "environment": .string(environment.rawValue),
        ]
        members["renewalDate"] = renewalDate.map { .date($0) }
        members["gracePeriodExpiresDate"] = gracePeriodExpirationDate.map { .date($0) }
        members["expirationIntent"] = expirationIntent.map { .number(AppStoreJSON.Number($0.rawValue)) }
        members["isInBillingRetryPeriod"] = isInBillingRetryPeriod.map { .boolean($0) }
        return members.with(overrides)
    }
}
