import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One element of `pending_renewal_info`: what is known of how a subscription goes on. A receipt knows nothing of it.
struct RenewalFields: Sendable, Hashable {
    /// The product that will renew.
    var autoRenewProductIdentifier: String?
    var originalTransactionIdentifier: String?
    var productIdentifier: String?
    var autoRenewStatus: Bool?
    /// 1 cancelled, 2 billing error, 3 price increase refused, 4 product unavailable, 5 unknown.
    var expirationIntent: Int?
    var isInBillingRetryPeriod: Bool?
    var gracePeriodExpirationDate: Date?
    var priceConsentStatus: Bool?
    var priceIncreaseStatus: Bool?
    var offerCodeReferenceName: String?
    var promotionalOfferIdentifier: String?

    /// The element, every value a string, in the order of Apple's answers.
    var json: JSONValue {
        var members = AnswerMembers(capacity: 13)
        members.add("auto_renew_product_id", text: autoRenewProductIdentifier)
        members.add("original_transaction_id", text: originalTransactionIdentifier)
        members.add("product_id", text: productIdentifier)
        members.add("auto_renew_status", digit: autoRenewStatus)
        members.add("expiration_intent", digits: expirationIntent)
        members.add("is_in_billing_retry_period", digit: isInBillingRetryPeriod)
        members.add("grace_period_expires_date", date: gracePeriodExpirationDate)
        members.add("price_consent_status", digit: priceConsentStatus)
        members.add("price_increase_status", digit: priceIncreaseStatus)
        members.add("offer_code_ref_name", text: offerCodeReferenceName)
        members.add("promotional_offer_id", text: promotionalOfferIdentifier)
        return members.json
    }
}
