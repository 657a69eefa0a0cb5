public import AppReceiptFoundation
public import AppReceiptKit
public import AppReceiptSupport
public import AppStoreSignedData

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
    public var overrides: [String: AppStoreJSON] = [:]

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
    public var members: AppStoreJSON.Object {
        var members: AppStoreJSON.Object = [
            "transactionId": .string(transactionIdentifier),
            "originalTransactionId": .string(originalTransactionIdentifier ?? transactionIdentifier),
            "bundleId": .string(bundleIdentifier),
            "productId": .string(productIdentifier),
            "purchaseDate": .date(purchaseDate),
            "originalPurchaseDate": .date(originalPurchaseDate ?? purchaseDate),
            "quantity": .number(AppStoreJSON.Number(quantity)),
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
