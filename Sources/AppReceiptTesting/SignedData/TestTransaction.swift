public import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A signed transaction to be made: a non-consumable bought in the sandbox unless something is changed.
///
/// ```swift
/// let transaction = TestTransaction("com.example.pro", transaction: "1")
/// let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
/// let verified = try verifier.verifyTransaction(try transaction.signed(), expecting: expectations)
/// ```
public struct TestTransaction: TestClaims {
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The product.
    public var productIdentifier: String
    /// The transaction.
    public var transactionIdentifier: String
    /// The first transaction of its line; nil for this one.
    public var originalTransactionIdentifier: String?
    /// When it was bought.
    public var purchaseDate: Date
    /// When the line's first transaction was made; nil for this one's date.
    public var originalPurchaseDate: Date?
    /// When the period of a subscription ends.
    public var expirationDate: Date?
    /// When it was refunded.
    public var revocationDate: Date?
    /// What kind of product it is.
    public var productType: SignedProductType
    /// The group of the subscription.
    public var subscriptionGroupIdentifier: String?
    /// How many were bought.
    public var quantity: Int64 = 1
    /// Who bought it.
    public var ownership: PurchaseOwnership = .purchased
    /// Where it comes from.
    public var environment: SignedDataEnvironment = .sandbox
    /// When this copy is signed. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// The device for which it is signed, and a nonce.
    public var device: (identifier: UUID, nonce: UUID)?
    /// Members that are put in place of those below, or beside them; null takes one out.
    public var overrides: [String: JSONValue] = [:]

    /// A non-consumable, or with an expiration date a period of a subscription; bought 2024-07-01T12:00:00Z unless a date
    /// is given.
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

/// Signed renewal information to be made: of a subscription that will renew, in the sandbox, unless something is changed.
public struct TestRenewalInfo: TestClaims {
    /// The first transaction of the subscription.
    public var originalTransactionIdentifier: String
    /// The product.
    public var productIdentifier: String
    /// The product that will renew; nil for the same.
    public var autoRenewProductIdentifier: String?
    /// Whether it will renew.
    public var autoRenewStatus: AutoRenewStatus = .on
    /// When it will renew.
    public var renewalDate: Date?
    /// Until when the customer keeps access although billing failed.
    public var gracePeriodExpirationDate: Date?
    /// Why it expired.
    public var expirationIntent: ExpirationIntent?
    /// Whether the store tries to bill the customer again.
    public var isInBillingRetryPeriod: Bool?
    /// Where it comes from.
    public var environment: SignedDataEnvironment = .sandbox
    /// When this copy is signed. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// Members that are put in place of those below, or beside them; null takes one out.
    public var overrides: [String: JSONValue] = [:]

    /// The renewal of this product's subscription.
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

/// A signed app transaction to be made: of an app from the sandbox unless something is changed.
public struct TestAppTransaction: TestClaims {
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The app's number in the App Store.
    public var appAppleIdentifier: UInt64?
    /// The app's version.
    public var appVersion = "1"
    /// The version that was bought first.
    public var originalAppVersion = "1.0"
    /// When the app was bought first. Default: the sandbox's constant.
    public var originalPurchaseDate = TestReceipt().originalPurchaseDate
    /// Where it comes from.
    public var environment: SignedDataEnvironment = .sandbox
    /// When this copy is signed. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// The device for which it is signed, and a nonce.
    public var device: (identifier: UUID, nonce: UUID)?
    /// Members that are put in place of those below, or beside them; null takes one out.
    public var overrides: [String: JSONValue] = [:]

    /// An app from the sandbox.
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

/// A notification of the App Store's server to be made: a test from the sandbox unless something is changed.
public struct TestNotification: TestClaims {
    /// What happened.
    public var notificationType: NotificationType = .test
    /// What happened, more closely.
    public var subtype: NotificationSubtype?
    /// Tells it apart.
    public var notificationUUID = "00000000-0000-4000-8000-000000000001"
    /// The app.
    public var bundleIdentifier = "com.example.app"
    /// The app's number in the App Store.
    public var appAppleIdentifier: UInt64?
    /// The state of the subscription.
    public var status: SubscriptionStatus?
    /// The token of a transaction.
    public var signedTransactionInfo: String?
    /// The token of renewal information.
    public var signedRenewalInfo: String?
    /// Where it comes from.
    public var environment: SignedDataEnvironment = .sandbox
    /// When it is signed. Default: 2024-07-02T15:04:05Z.
    public var signedDate = TestReceipt().creationDate
    /// Members that are put in place of those below, or beside them; null takes one out.
    public var overrides: [String: JSONValue] = [:]

    /// A test.
    public init(_ type: NotificationType = .test, _ subtype: NotificationSubtype? = nil) {
        notificationType = type
        self.subtype = subtype
    }

    /// `data`, as it is signed.
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
