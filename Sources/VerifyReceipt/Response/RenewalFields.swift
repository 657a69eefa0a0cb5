import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

/// One element of `pending_renewal_info`. Its values are from signed renewal information, which receipts don't contain.
struct RenewalFields: Sendable, Hashable {
    /// The product that will renew.
    var autoRenewProductIdentifier: String?
    var originalTransactionIdentifier: String?
    var productIdentifier: String?
    var autoRenewStatus: Bool?
    /// 1 canceled, 2 billing error, 3 price increase not accepted, 4 product not available, 5 unknown.
    var expirationIntent: Int64?
    var isInBillingRetryPeriod: Bool?
    var gracePeriodExpirationDate: Date?
    var priceConsentStatus: Bool?
    var priceIncreaseStatus: Bool?
    var offerCodeReferenceName: String?
    var promotionalOfferIdentifier: String?

    /// Creates the element of a subscription without signed renewal information, from its newest transaction.
    init(unknownRenewalOf transaction: TransactionFields) {
        originalTransactionIdentifier = transaction.originalTransactionIdentifier
        productIdentifier = transaction.productIdentifier
    }

    init(_ renewal: VerifiedRenewalInfo) {
        let claims = renewal.claims
        autoRenewProductIdentifier = claims.autoRenewProductIdentifier
        originalTransactionIdentifier = claims.originalTransactionIdentifier
        productIdentifier = claims.productIdentifier
        autoRenewStatus = claims.autoRenewStatus.flatMap { Self.flag($0.rawValue) }
        expirationIntent = claims.expirationIntent?.rawValue
        isInBillingRetryPeriod = claims.isInBillingRetryPeriod
        gracePeriodExpirationDate = claims.gracePeriodExpirationDate
        priceConsentStatus = claims.priceIncreaseStatus.flatMap { Self.flag($0.rawValue) }
        priceIncreaseStatus = priceConsentStatus
        offerCodeReferenceName = claims.offerType == .code ? claims.offerIdentifier : nil
        promotionalOfferIdentifier = claims.offerType == .promotional ? claims.offerIdentifier : nil
    }

    /// Returns the value of 0 and 1; nil for others, which Apple may add.
    private static func flag(_ number: Int64) -> Bool? { number == 1 ? true : number == 0 ? false : nil }

    /// Writes the members of the element, every value a string, in the order of Apple's responses.
    func write(to writer: inout JSONWriter) {
        writer.memberIfPresent("auto_renew_product_id", autoRenewProductIdentifier)
        writer.memberIfPresent("original_transaction_id", originalTransactionIdentifier)
        writer.memberIfPresent("product_id", productIdentifier)
        writer.memberIfPresent("auto_renew_status", oneOrZero: autoRenewStatus)
        writer.memberIfPresent("expiration_intent", digits: expirationIntent)
        writer.memberIfPresent("is_in_billing_retry_period", oneOrZero: isInBillingRetryPeriod)
        writer.memberIfPresent("grace_period_expires_date", dateInThreeForms: gracePeriodExpirationDate)
        writer.memberIfPresent("price_consent_status", oneOrZero: priceConsentStatus)
        writer.memberIfPresent("price_increase_status", oneOrZero: priceIncreaseStatus)
        writer.memberIfPresent("offer_code_ref_name", offerCodeReferenceName)
        writer.memberIfPresent("promotional_offer_id", promotionalOfferIdentifier)
    }
}
