public import AppReceiptFoundation
import AppReceiptKit
public import AppReceiptSupport

/// The claims of signed renewal information. Source: Apple, JWSRenewalInfoDecodedPayload.
///
/// They contain the original transaction, but neither the app nor a transaction identifier. Prices are in thousandths
/// of the currency's unit.
public struct RenewalInfoClaims: SignedClaims {
    /// All members as written, known and unknown.
    public let members: AppStoreJSON.Object

    /// The original transaction of the subscription.
    public let originalTransactionIdentifier: String?
    /// The current product.
    public let productIdentifier: String?
    /// The product that will renew.
    public let autoRenewProductIdentifier: String?
    /// Whether it will renew.
    public let autoRenewStatus: AutoRenewStatus?
    /// The reason for the expiration.
    public let expirationIntent: ExpirationIntent?
    /// Whether the App Store retries billing.
    public let isInBillingRetryPeriod: Bool?
    /// The end of the grace period after a billing failure.
    public let gracePeriodExpirationDate: Date?
    /// The date of the next renewal.
    public let renewalDate: Date?
    /// The date the current uninterrupted subscription began. Lapses of less than sixty days are ignored.
    public let recentSubscriptionStartDate: Date?
    /// Whether the customer consented to a higher price.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of the offer for the next period.
    public let offerType: OfferType?
    /// The offer for the next period.
    public let offerIdentifier: String?
    /// The payment mode of the offer.
    public let offerDiscountType: OfferDiscountType?
    /// The duration of the offer, as an ISO 8601 duration such as `P1Y`.
    public let offerPeriod: String?
    /// Offers that could win the customer back, the best first.
    public let eligibleWinBackOfferIdentifiers: [String]?
    /// The currency, as three letters.
    public let currency: String?
    /// The price of the next period, in thousandths of the currency's unit.
    public let renewalPrice: Int64?
    /// The billing plan of the next period.
    public let renewalBillingPlanType: BillingPlanType?
    /// The app's identifier for the customer's account.
    public let appAccountToken: UUID?
    /// The customer's purchase of the app, across devices.
    public let appTransactionIdentifier: String?
    /// The commitment that follows the current one.
    public let commitmentInfo: RenewalCommitmentInfo?
    /// The Advanced Commerce data of the next period.
    public let advancedCommerceInfo: AdvancedCommerceInfo?
    /// The seats of the next period.
    public let multiSeatInfo: MultiSeatInfo?
    /// The number of seats of the next period.
    public let renewalQuantity: Int64?
    /// The bundle that the next period is a component of.
    public let bundleProductIdentifier: String?
    /// The transaction of the bundle.
    public let bundleTransactionIdentifier: String?
    /// The original transaction of the bundle.
    public let bundleOriginalTransactionIdentifier: String?
    /// The group of the bundle.
    public let bundleSubscriptionGroupIdentifier: String?
    /// Whether the subscription will renew on its own, outside of its bundle.
    public let willUnbundle: Bool?
    /// The environment.
    public let environment: SignedDataEnvironment?
    /// The date this copy was signed.
    public let signedDate: Date?
    /// The verification of the device that requested the data; nil if it is absent or malformed.
    public let deviceVerification: DeviceVerification?
}

extension RenewalInfoClaims: ReadableClaims {
    static var kind: SignedDataKind { .renewalInfo }

    init(_ members: AppStoreJSON.Object) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // Without one of these, nothing could be said about the subscription.
        originalTransactionIdentifier = try claims.string("originalTransactionId")
        productIdentifier = try claims.string("productId")
        autoRenewProductIdentifier = try claims.string("autoRenewProductId")
        autoRenewStatus = try claims.value("autoRenewStatus")
        isInBillingRetryPeriod = try claims.boolean("isInBillingRetryPeriod")
        gracePeriodExpirationDate = try claims.date("gracePeriodExpiresDate")
        renewalDate = try claims.date("renewalDate")
        environment = try claims.value("environment")
        signedDate = try claims.date("signedDate")
        // Other members: nil if they can't be read.
        expirationIntent = try? claims.value("expirationIntent")
        recentSubscriptionStartDate = try? claims.date("recentSubscriptionStartDate")
        priceIncreaseStatus = try? claims.value("priceIncreaseStatus")
        offerType = try? claims.value("offerType")
        offerIdentifier = try? claims.string("offerIdentifier")
        offerDiscountType = try? claims.value("offerDiscountType")
        offerPeriod = try? claims.string("offerPeriod")
        eligibleWinBackOfferIdentifiers = try? claims.strings("eligibleWinBackOfferIds")
        currency = try? claims.string("currency")
        renewalPrice = try? claims.integer("renewalPrice")
        renewalBillingPlanType = try? claims.value("renewalBillingPlanType")
        appAccountToken = (try? claims.string("appAccountToken")).flatMap { UUID(uuidString: $0) }
        appTransactionIdentifier = try? claims.string("appTransactionId")
        commitmentInfo = (try? claims.object("commitmentInfo")).map { RenewalCommitmentInfo($0) }
        advancedCommerceInfo = (try? claims.object("advancedCommerceInfo")).map { AdvancedCommerceInfo($0) }
        multiSeatInfo = (try? claims.object("multiSeatInfo")).map { MultiSeatInfo($0) }
        renewalQuantity = try? claims.integer("renewalQuantity")
        bundleProductIdentifier = try? claims.string(anyOf: "bundleProductId", "bundleProductID")
        bundleTransactionIdentifier = try? claims.string(anyOf: "bundleTransactionId", "bundleTransactionID")
        bundleOriginalTransactionIdentifier = try? claims.string(
            anyOf: "bundleOriginalTransactionId", "bundleOriginalTransactionID")
        bundleSubscriptionGroupIdentifier = try? claims.string(
            anyOf: "bundleSubscriptionGroupIdentifier", "bundleSubscriptionGroupId", "bundleSubscriptionGroupID")
        willUnbundle = try? claims.boolean("willUnbundle")
        // An expected device is compared in a check of its own, which rejects a malformed value.
        deviceVerification = DeviceVerification(claims)
    }

    static func matches(_ members: AppStoreJSON.Object) -> Bool {
        members["autoRenewStatus"] != nil || members["autoRenewProductId"] != nil || members["renewalDate"] != nil
    }
}

extension RenewalInfoClaims: CustomStringConvertible {
    /// The product, without data about the customer.
    public var description: String { "RenewalInfoClaims(\(productIdentifier ?? "no product identifier"))" }
}
