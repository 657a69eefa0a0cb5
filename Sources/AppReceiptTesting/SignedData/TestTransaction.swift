public import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The claims of a transaction, by default of a non-consumable bought in the sandbox.
///
/// ```swift
/// let transaction = TestTransaction("com.example.pro", transaction: "1")
/// let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
/// let verified = try verifier.verifyTransaction(try transaction.signed(), expecting: expectations)
/// ```
public struct TestTransaction: TestClaims {
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The product identifier.
    public var productIdentifier: String
    /// The transaction identifier.
    public var transactionIdentifier: String
    /// The original transaction identifier. Nil for the transaction identifier.
    public var originalTransactionIdentifier: String?
    /// The purchase date.
    public var purchaseDate: Date
    /// The date of the original transaction. Nil for the purchase date.
    public var originalPurchaseDate: Date?
    /// The expiration date of a subscription period.
    public var expirationDate: Date?
    /// The date of a refund.
    public var revocationDate: Date?
    /// The product type.
    public var productType: SignedProductType
    /// The identifier of the subscription group.
    public var subscriptionGroupIdentifier: String?
    /// The quantity.
    public var quantity: Int64 = 1
    /// Whether the customer bought the product or has it through family sharing.
    public var ownership: PurchaseOwnership = .purchased
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// The device to which the data is bound, and a nonce.
    public var device: (identifier: UUID, nonce: UUID)?
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: JSONValue] = [:]

    /// Creates a non-consumable or, with an expiration date, a subscription period. The default purchase date is
    /// 2024-07-01T12:00:00Z.
    public init(
        _ product: String, transaction: String, original: String? = nil,
        at date: Date? = nil, until expirationDate: Date? = nil
    ) {
        productIdentifier = product
        transactionIdentifier = transaction
        originalTransactionIdentifier = original
        purchaseDate = date ?? RFC3339.date(year: 2024, month: 7, day: 1, hour: 12, minute: 0, second: 0)
        self.expirationDate = expirationDate
        productType = expirationDate == nil ? .nonConsumable : .autoRenewableSubscription
        subscriptionGroupIdentifier = expirationDate == nil ? nil : "21000001"
    }

    /// The members that are signed.
    public var members: JSONObject {
        var members: JSONObject = [
            "transactionId": .string(transactionIdentifier),
            "originalTransactionId": .string(originalTransactionIdentifier ?? transactionIdentifier),
            "bundleId": .string(bundleIdentifier),
            "productId": .string(productIdentifier),
            "purchaseDate": .date(purchaseDate),
            "originalPurchaseDate": .date(originalPurchaseDate ?? purchaseDate),
            "quantity": .number(JSONNumber(quantity)),
            "type": .string(productType.rawValue),
            "inAppOwnershipType": .string(ownership.rawValue),
            "signedDate": .date(signedDate),
            "environment": .string(environment.rawValue),
            "transactionReason": "PURCHASE",
            "storefront": "USA",
            "storefrontId": "143441",
            "currency": "USD",
            "price": 10990,
        ]
        members["subscriptionGroupIdentifier"] = subscriptionGroupIdentifier.map { .string($0) }
        members["expiresDate"] = expirationDate.map { .date($0) }
        members["revocationDate"] = revocationDate.map { .date($0) }
        members.bind(to: device)
        return members.with(overrides)
    }
}

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
    public var overrides: [String: JSONValue] = [:]

    /// Creates renewal information of a subscription.
    public init(_ product: String, original: String) {
        productIdentifier = product
        originalTransactionIdentifier = original
    }

    /// The members that are signed.
    public var members: JSONObject {
        var members: JSONObject = [
            "originalTransactionId": .string(originalTransactionIdentifier),
            "autoRenewProductId": .string(autoRenewProductIdentifier ?? productIdentifier),
            "productId": .string(productIdentifier),
            "autoRenewStatus": .number(JSONNumber(autoRenewStatus.rawValue)),
            "signedDate": .date(signedDate),
            "environment": .string(environment.rawValue),
        ]
        members["renewalDate"] = renewalDate.map { .date($0) }
        members["gracePeriodExpiresDate"] = gracePeriodExpirationDate.map { .date($0) }
        members["expirationIntent"] = expirationIntent.map { .number(JSONNumber($0.rawValue)) }
        members["isInBillingRetryPeriod"] = isInBillingRetryPeriod.map { .boolean($0) }
        return members.with(overrides)
    }
}

/// The claims of an app transaction, by default of the sandbox.
public struct TestAppTransaction: TestClaims {
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The app's Apple ID.
    public var appAppleIdentifier: UInt64?
    /// The app's version.
    public var appVersion = "1"
    /// The version that the customer bought first.
    public var originalAppVersion = "1.0"
    /// The date of the first purchase. Default: the sandbox's constant.
    public var originalPurchaseDate = TestReceipt().originalPurchaseDate
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// The device to which the data is bound, and a nonce.
    public var device: (identifier: UUID, nonce: UUID)?
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: JSONValue] = [:]

    /// Creates an app transaction of the sandbox.
    public init() {}

    /// The members that are signed.
    public var members: JSONObject {
        var members: JSONObject = [
            "receiptType": .string(environment.rawValue),
            "bundleId": .string(bundleIdentifier),
            "applicationVersion": .string(appVersion),
            "originalApplicationVersion": .string(originalAppVersion),
            "originalPurchaseDate": .date(originalPurchaseDate),
            "receiptCreationDate": .date(signedDate),
            "appTransactionId": "704000000000000001",
            "originalPlatform": "iOS",
        ]
        members["appAppleId"] = appAppleIdentifier.map { .number(JSONNumber($0)) }
        members.bind(to: device)
        return members.with(overrides)
    }
}

/// The claims of an App Store server notification, by default a test notification from the sandbox.
public struct TestNotification: TestClaims {
    /// The type.
    public var notificationType: NotificationType = .test
    /// The subtype.
    public var subtype: NotificationSubtype?
    /// The unique identifier.
    public var notificationUUID = "00000000-0000-4000-8000-000000000001"
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The app's Apple ID.
    public var appAppleIdentifier: UInt64?
    /// The subscription status.
    public var status: SubscriptionStatus?
    /// The token with the transaction.
    public var signedTransactionInfo: String?
    /// The token with the renewal information.
    public var signedRenewalInfo: String?
    /// The environment.
    public var environment: SignedDataEnvironment = .sandbox
    /// The date of the signature. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// Members that replace or extend ``members``. Null removes a member.
    public var overrides: [String: JSONValue] = [:]

    /// Creates a notification, by default a test.
    public init(_ type: NotificationType = .test, _ subtype: NotificationSubtype? = nil) {
        notificationType = type
        self.subtype = subtype
    }

    /// The member `data`.
    public var data: JSONObject {
        var data: JSONObject = [
            "bundleId": .string(bundleIdentifier), "environment": .string(environment.rawValue), "bundleVersion": "1",
        ]
        data["appAppleId"] = appAppleIdentifier.map { .number(JSONNumber($0)) }
        data["signedTransactionInfo"] = signedTransactionInfo.map { .string($0) }
        data["signedRenewalInfo"] = signedRenewalInfo.map { .string($0) }
        data["status"] = status.map { .number(JSONNumber($0.rawValue)) }
        return data
    }

    /// The members that are signed.
    public var members: JSONObject {
        var members: JSONObject = [
            "notificationType": .string(notificationType.rawValue),
            "notificationUUID": .string(notificationUUID),
            "version": "2.0",
            "signedDate": .date(signedDate),
            "data": .object(data),
        ]
        members["subtype"] = subtype.map { .string($0.rawValue) }
        return members.with(overrides)
    }
}
