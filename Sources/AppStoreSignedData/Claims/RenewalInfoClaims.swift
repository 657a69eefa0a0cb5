import AppReceiptKit
public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What signed renewal information says of a subscription. Source: Apple, JWSRenewalInfoDecodedPayload.
///
/// It names no app and no transaction but the first of its line. Prices are thousandths of the currency's unit.
public struct RenewalInfoClaims: SignedClaims {
    /// Every member as it was written, known or not.
    public let members: JSONObject

    /// The first transaction of the subscription.
    public let originalTransactionIdentifier: String?
    /// The product that the customer has.
    public let productIdentifier: String?
    /// The product that will renew.
    public let autoRenewProductIdentifier: String?
    /// Whether it will renew.
    public let autoRenewStatus: AutoRenewStatus?
    /// Why it expired.
    public let expirationIntent: ExpirationIntent?
    /// Whether the store is trying to bill the customer again.
    public let isInBillingRetryPeriod: Bool?
    /// Until when the customer keeps access although billing failed.
    public let gracePeriodExpirationDate: Date?
    /// When it will renew.
    public let renewalDate: Date?
    /// When the present run of the subscription began; lapses of less than sixty days do not count.
    public let recentSubscriptionStartDate: Date?
    /// Whether the customer consented to a higher price.
    public let priceIncreaseStatus: PriceIncreaseStatus?
    /// The kind of the offer for the next period.
    public let offerType: OfferType?
    /// The offer for the next period.
    public let offerIdentifier: String?
    /// How the offer is paid.
    public let offerDiscountType: OfferDiscountType?
    /// How long the offer lasts, as an ISO 8601 duration such as `P1Y`.
    public let offerPeriod: String?
    /// Offers that could win the customer back, the best first.
    public let eligibleWinBackOfferIdentifiers: [String]?
    /// The currency, three letters.
    public let currency: String?
    /// The price of the next period, in thousandths of the currency's unit.
    public let renewalPrice: Int64?
    /// How the next period is billed.
    public let renewalBillingPlanType: BillingPlanType?
    /// What the app gave to tell its accounts apart.
    public let appAccountToken: UUID?
    /// The customer's purchase of the app, across devices.
    public let appTransactionIdentifier: String?
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
    /// Always nil: renewal information names no app.
    public var bundleIdentifier: String? { nil }
    /// Always nil: renewal information names no app.
    public var appAppleIdentifier: UInt64? { nil }

    /// What kind of data it is.
    public static var kind: SignedDataKind { .renewalInfo }
}

extension RenewalInfoClaims: ReadableClaims {
    init(_ members: JSONObject) throws(ReceiptError) {
        let claims = ClaimReader(members: members)
        self.members = members
        // What a decision hangs on.
        originalTransactionIdentifier = try claims.text("originalTransactionId")
        productIdentifier = try claims.text("productId")
        autoRenewProductIdentifier = try claims.text("autoRenewProductId")
        autoRenewStatus = try claims.open("autoRenewStatus")
        isInBillingRetryPeriod = try claims.truth("isInBillingRetryPeriod")
        gracePeriodExpirationDate = try claims.date("gracePeriodExpiresDate")
        renewalDate = try claims.date("renewalDate")
        environment = try claims.open("environment")
        signedDate = try claims.date("signedDate")
        // What none does: nil if it cannot be read.
        expirationIntent = try? claims.open("expirationIntent")
        recentSubscriptionStartDate = try? claims.date("recentSubscriptionStartDate")
        priceIncreaseStatus = try? claims.open("priceIncreaseStatus")
        offerType = try? claims.open("offerType")
        offerIdentifier = try? claims.text("offerIdentifier")
        offerDiscountType = try? claims.open("offerDiscountType")
        offerPeriod = try? claims.text("offerPeriod")
        eligibleWinBackOfferIdentifiers = try? claims.texts("eligibleWinBackOfferIds")
        currency = try? claims.text("currency")
        renewalPrice = try? claims.whole("renewalPrice")
        renewalBillingPlanType = try? claims.open("renewalBillingPlanType")
        appAccountToken = (try? claims.text("appAccountToken")).flatMap { UUID(uuidString: $0) }
        appTransactionIdentifier = try? claims.text("appTransactionId")
        commitmentInfo = (try? claims.object("commitmentInfo"))?.members
        advancedCommerceInfo = (try? claims.object("advancedCommerceInfo"))?.members
        // An expected device is compared in a check of its own, which rejects a malformed value.
        deviceVerification = DeviceVerification(claims)
    }

    static func areEvident(in members: JSONObject) -> Bool {
        members["autoRenewStatus"] != nil || members["autoRenewProductId"] != nil || members["renewalDate"] != nil
    }
}

extension RenewalInfoClaims: CustomStringConvertible {
    /// One line that names the product and nothing of its customer.
    public var description: String { "RenewalInfoClaims(\(productIdentifier ?? "no product identifier"))" }
}
