public import AppReceiptKit
public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a signed transaction says. Source: Apple, JWSTransactionDecodedPayload.
///
/// Prices are thousandths of the currency's unit. A property is nil where the data does not say, as Xcode's often does not.
public struct TransactionClaims: SignedClaims {
    /// Every member as it was written, known or not.
    public let members: JSONObject

    /// The transaction; `0` from Xcode.
    public let transactionIdentifier: String?
    /// The first transaction of its line; the same through renewals and restores.
    public let originalTransactionIdentifier: String?
    /// A transaction's identifier before it was migrated to Advanced Commerce.
    public let previousOriginalTransactionIdentifier: String?
    /// The key of a subscription's purchase across devices.
    public let webOrderLineItemIdentifier: UInt64?
    /// The app.
    public let bundleIdentifier: String?
    /// The product.
    public let productIdentifier: String?
    /// The group of the subscription.
    public let subscriptionGroupIdentifier: String?
    /// The customer's purchase of the app, across devices.
    public let appTransactionIdentifier: String?
    /// When it was bought, renewed or restored.
    public let purchaseDate: Date?
    /// The date of the line's first transaction.
    public let originalPurchaseDate: Date?
    /// When the period of a subscription ends.
    public let expirationDate: Date?
    /// When it was refunded, or taken out of family sharing.
    public let revocationDate: Date?
    /// Why it was revoked.
    public let revocationReason: RevocationReason?
    /// How it was revoked.
    public let revocationType: RevocationType?
    /// How much was given back, in thousandths of a percent: 50000 is half of the price.
    public let revocationPercentage: Int64?
    /// Whether the customer upgraded to another product of the group, which ended it.
    public let isUpgraded: Bool?
    /// How many were bought.
    public let quantity: Int64?
    /// What kind of product it is.
    public let productType: SignedProductType?
    /// What the app gave to tell its accounts apart.
    public let appAccountToken: UUID?
    /// Who bought it.
    public let ownership: PurchaseOwnership?
    /// Why it was made.
    public let reason: TransactionReason?
    /// The kind of the offer that was redeemed.
    public let offerType: OfferType?
    /// The offer that was redeemed.
    public let offerIdentifier: String?
    /// How the offer is paid.
    public let offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, as an ISO 8601 duration such as `P1Y`.
    public let offerPeriod: String?
    /// The country, three letters.
    public let storefront: String?
    /// The number of the country's store.
    public let storefrontIdentifier: String?
    /// The currency, three letters.
    public let currency: String?
    /// The price of all that was bought, in thousandths of the currency's unit: 10990 is 10.99.
    public let price: Int64?
    /// How the subscription is billed.
    public let billingPlanType: BillingPlanType?
    /// A commitment over several periods, as it was written.
    public let commitmentInfo: JSONObject?
    /// Data of Advanced Commerce, as it was written.
    public let advancedCommerceInfo: JSONObject?
    /// Where it comes from.
    public let environment: SignedDataEnvironment?
    /// When this copy was signed.
    public let signedDate: Date?
    /// The verification of the device that requested the data; nil if it is absent or malformed.
    public let deviceVerification: DeviceVerification?
    /// Always nil: a transaction does not name it.
    public var appAppleIdentifier: UInt64? { nil }

    /// What kind of data it is.
    public static var kind: SignedDataKind { .transaction }
}

extension TransactionClaims: ReadableClaims {
    init(_ members: JSONObject) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // What a decision hangs on.
        transactionIdentifier = try claims.text("transactionId")
        originalTransactionIdentifier = try claims.text("originalTransactionId")
        bundleIdentifier = try claims.text("bundleId")
        productIdentifier = try claims.text("productId")
        subscriptionGroupIdentifier = try claims.text("subscriptionGroupIdentifier")
        purchaseDate = try claims.date("purchaseDate")
        originalPurchaseDate = try claims.date("originalPurchaseDate")
        expirationDate = try claims.date("expiresDate")
        revocationDate = try claims.date("revocationDate")
        isUpgraded = try claims.truth("isUpgraded")
        quantity = try claims.whole("quantity")
        productType = try claims.open("type")
        ownership = try claims.open("inAppOwnershipType")
        environment = try claims.open("environment")
        signedDate = try claims.date("signedDate")
        // What none does: nil if it cannot be read.
        previousOriginalTransactionIdentifier = try? claims.text("previousOriginalTransactionId")
        webOrderLineItemIdentifier = (try? claims.text("webOrderLineItemId")).flatMap { UInt64($0) }
        appTransactionIdentifier = try? claims.text("appTransactionId")
        revocationReason = try? claims.open("revocationReason")
        revocationType = try? claims.open("revocationType")
        revocationPercentage = try? claims.whole("revocationPercentage")
        appAccountToken = (try? claims.text("appAccountToken")).flatMap { UUID(uuidString: $0) }
        reason = try? claims.open("transactionReason")
        offerType = try? claims.open("offerType")
        offerIdentifier = try? claims.text("offerIdentifier")
        offerDiscountType = try? claims.open("offerDiscountType")
        offerPeriod = try? claims.text("offerPeriod")
        storefront = try? claims.text("storefront")
        storefrontIdentifier = try? claims.text("storefrontId")
        currency = try? claims.text("currency")
        price = try? claims.whole("price")
        billingPlanType = try? claims.open("billingPlanType")
        commitmentInfo = (try? claims.object("commitmentInfo"))?.members
        advancedCommerceInfo = (try? claims.object("advancedCommerceInfo"))?.members
        // An expected device is compared in a check of its own, which rejects a malformed value.
        deviceVerification = DeviceVerification(claims)
    }

    static func areEvident(in members: JSONObject) -> Bool {
        members["transactionId"] != nil || members["purchaseDate"] != nil
    }
}

extension TransactionClaims: CustomStringConvertible {
    /// One line that names the product and nothing of its customer.
    public var description: String { "TransactionClaims(\(productIdentifier ?? "no product identifier"))" }
}
