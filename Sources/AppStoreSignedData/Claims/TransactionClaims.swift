public import AppReceiptFoundation
public import AppReceiptKit
public import AppReceiptSupport

/// The claims of a signed transaction. Source: Apple, JWSTransactionDecodedPayload.
///
/// Prices are in thousandths of the currency's unit. A property is nil if the data, often that of Xcode, doesn't
/// contain it.
public struct TransactionClaims: SignedClaims {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The transaction identifier; `0` from Xcode.
    public let transactionIdentifier: String?
    /// The original transaction, which is the same for all renewals and restores.
    public let originalTransactionIdentifier: String?
    /// The original transaction of the subscription that this one replaced: before a migration to Advanced Commerce, or
    /// before a change between a bundle and a subscription of its own.
    public let previousOriginalTransactionIdentifier: String?
    /// The key of a subscription's purchase across devices.
    public let webOrderLineItemIdentifier: UInt64?
    /// The app.
    public let bundleIdentifier: String?
    /// The product.
    public let productIdentifier: String?
    /// The group of the subscription.
    public let subscriptionGroupIdentifier: String?
    /// The bundle that this purchase is a component of.
    public let bundleProductIdentifier: String?
    /// The transaction of the bundle.
    public let bundleTransactionIdentifier: String?
    /// The original transaction of the bundle.
    public let bundleOriginalTransactionIdentifier: String?
    /// The group of the bundle.
    public let bundleSubscriptionGroupIdentifier: String?
    /// The customer's purchase of the app, across devices.
    public let appTransactionIdentifier: String?
    /// The date of the purchase, renewal or restore.
    public let purchaseDate: Date?
    /// The date of the original transaction.
    public let originalPurchaseDate: Date?
    /// The end of the subscription's period.
    public let expirationDate: Date?
    /// The date of the refund, or of the end of family sharing.
    public let revocationDate: Date?
    /// The reason for the revocation.
    public let revocationReason: RevocationReason?
    /// The kind of revocation.
    public let revocationType: RevocationType?
    /// The refunded part of the price, in thousandths of a percent: 50000 is half of the price.
    public let revocationPercentage: Int64?
    /// Whether the customer upgraded to another product of the group, which ended it.
    public let isUpgraded: Bool?
    /// The quantity.
    public let quantity: Int64?
    /// The type of the product.
    public let productType: SignedProductType?
    /// The app's identifier for the customer's account.
    public let appAccountToken: UUID?
    /// Whether the customer bought it or a family member shares it.
    public let ownership: PurchaseOwnership?
    /// The reason for the transaction.
    public let reason: TransactionReason?
    /// A further reason for the transaction.
    public let additionalReason: AdditionalTransactionReason?
    /// The kind of the offer that was redeemed.
    public let offerType: OfferType?
    /// The offer that was redeemed.
    public let offerIdentifier: String?
    /// The payment mode of the offer.
    public let offerDiscountType: OfferDiscountType?
    /// The duration of the offer, as an ISO 8601 duration such as `P1Y`.
    public let offerPeriod: String?
    /// The country, as three letters.
    public let storefront: String?
    /// The number of the storefront.
    public let storefrontIdentifier: String?
    /// The currency, as three letters.
    public let currency: String?
    /// The total price, in thousandths of the currency's unit: 10990 is 10.99.
    public let price: Int64?
    /// The billing plan.
    public let billingPlanType: BillingPlanType?
    /// The commitment to several billing periods, of which this is one.
    public let commitmentInfo: CommitmentInfo?
    /// The Advanced Commerce data.
    public let advancedCommerceInfo: AdvancedCommerceInfo?
    /// The seats of a subscription for several people.
    public let multiSeatInfo: MultiSeatInfo?
    /// The environment.
    public let environment: SignedDataEnvironment?
    /// The date this copy was signed.
    public let signedDate: Date?
    /// The verification of the device that requested the data; nil if it is absent or malformed.
    public let deviceVerification: DeviceVerification?
}

extension TransactionClaims: ReadableClaims {
    static var kind: SignedDataKind { .transaction }

    init(_ members: AppStoreJSON.Object) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // Members that decisions depend on.
        transactionIdentifier = try claims.string("transactionId")
        originalTransactionIdentifier = try claims.string("originalTransactionId")
        bundleIdentifier = try claims.string("bundleId")
        productIdentifier = try claims.string("productId")
        subscriptionGroupIdentifier = try claims.string("subscriptionGroupIdentifier")
        purchaseDate = try claims.date("purchaseDate")
        originalPurchaseDate = try claims.date("originalPurchaseDate")
        expirationDate = try claims.date("expiresDate")
        revocationDate = try claims.date("revocationDate")
        isUpgraded = try claims.boolean("isUpgraded")
        quantity = try claims.integer("quantity")
        productType = try claims.value("type")
        ownership = try claims.value("inAppOwnershipType")
        environment = try claims.value("environment")
        signedDate = try claims.date("signedDate")
        // Other members: nil if they can't be read.
        previousOriginalTransactionIdentifier = try? claims.string(
            anyOf: "previousOriginalTransactionId", "previousOriginalTransactionID")
        bundleProductIdentifier = try? claims.string(anyOf: "bundleProductId", "bundleProductID")
        bundleTransactionIdentifier = try? claims.string(anyOf: "bundleTransactionId", "bundleTransactionID")
        bundleOriginalTransactionIdentifier = try? claims.string(
            anyOf: "bundleOriginalTransactionId", "bundleOriginalTransactionID")
        bundleSubscriptionGroupIdentifier = try? claims.string(
            anyOf: "bundleSubscriptionGroupIdentifier", "bundleSubscriptionGroupId", "bundleSubscriptionGroupID")
        webOrderLineItemIdentifier = (try? claims.string("webOrderLineItemId")).flatMap { UInt64($0) }
        appTransactionIdentifier = try? claims.string("appTransactionId")
        revocationReason = try? claims.value("revocationReason")
        revocationType = try? claims.value("revocationType")
        revocationPercentage = try? claims.integer("revocationPercentage")
        appAccountToken = (try? claims.string("appAccountToken")).flatMap { UUID(uuidString: $0) }
        reason = try? claims.value("transactionReason")
        additionalReason = try? claims.value("additionalTransactionReason")
        offerType = try? claims.value("offerType")
        offerIdentifier = try? claims.string("offerIdentifier")
        offerDiscountType = try? claims.value("offerDiscountType")
        offerPeriod = try? claims.string("offerPeriod")
        storefront = try? claims.string("storefront")
        storefrontIdentifier = try? claims.string("storefrontId")
        currency = try? claims.string("currency")
        price = try? claims.integer("price")
        billingPlanType = try? claims.value("billingPlanType")
        commitmentInfo = (try? claims.object("commitmentInfo")).map { CommitmentInfo($0) }
        advancedCommerceInfo = (try? claims.object("advancedCommerceInfo")).map { AdvancedCommerceInfo($0) }
        multiSeatInfo = (try? claims.object("multiSeatInfo")).map { MultiSeatInfo($0) }
        // An expected device is compared in a check of its own, which rejects a malformed value.
        deviceVerification = DeviceVerification(claims)
    }

    static func matches(_ members: AppStoreJSON.Object) -> Bool {
        members["transactionId"] != nil || members["purchaseDate"] != nil
    }
}

extension TransactionClaims: CustomStringConvertible {
    /// The product, without data about the customer.
    public var description: String { "TransactionClaims(\(productIdentifier ?? "no product identifier"))" }
}
