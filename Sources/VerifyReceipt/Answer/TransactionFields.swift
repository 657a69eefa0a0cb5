import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One element of `in_app` or `latest_receipt_info`: what is known of a transaction, whoever knows it. Nil is not known
/// and left out of the answer.
///
/// A receipt knows what is above the line; what is below only a history of transactions can say.
struct TransactionFields: Sendable, Hashable {
    var quantity: Int?
    var productIdentifier: String?
    var transactionIdentifier: String?
    var originalTransactionIdentifier: String?
    var purchaseDate: Date?
    var originalPurchaseDate: Date?
    var expirationDate: Date?
    var webOrderLineItemIdentifier: UInt64?
    var isTrialPeriod: Bool?
    var isInIntroductoryOfferPeriod: Bool?
    var promotionalOfferIdentifier: String?
    var cancellationDate: Date?

    // MARK: Not in a receipt

    /// "0" or "1", only beside a cancellation date.
    var cancellationReason: Int?
    /// `PURCHASED` or `FAMILY_SHARED`.
    var inAppOwnershipType: String?
    var subscriptionGroupIdentifier: String?
    /// Only `true` is written.
    var isUpgraded: Bool?
    /// A UUID.
    var appAccountToken: String?
    var offerCodeReferenceName: String?

    init() {}

    /// What a receipt says of a purchase.
    init(_ purchase: InAppPurchase) {
        quantity = purchase.quantity
        productIdentifier = purchase.productIdentifier
        transactionIdentifier = purchase.transactionIdentifier
        originalTransactionIdentifier = purchase.originalTransactionIdentifier
        purchaseDate = purchase.purchaseDate
        originalPurchaseDate = purchase.originalPurchaseDate
        expirationDate = purchase.expirationDate
        webOrderLineItemIdentifier = purchase.webOrderLineItemIdentifier
        isTrialPeriod = purchase.isTrialPeriod
        isInIntroductoryOfferPeriod = purchase.isInIntroductoryOfferPeriod
        promotionalOfferIdentifier = purchase.promotionalOfferIdentifier
        cancellationDate = purchase.cancellationDate
    }

    /// The element, every value a string, in the order of Apple's answers.
    var json: JSONValue {
        var members = AnswerMembers(capacity: 26)
        members.add("quantity", digits: quantity)
        members.add("product_id", text: productIdentifier)
        members.add("transaction_id", text: transactionIdentifier)
        members.add("original_transaction_id", text: originalTransactionIdentifier)
        members.add("purchase_date", date: purchaseDate)
        members.add("original_purchase_date", date: originalPurchaseDate)
        members.add("expires_date", date: expirationDate)
        members.add("web_order_line_item_id", digits: webOrderLineItemIdentifier)
        members.add("is_trial_period", word: isTrialPeriod)
        members.add("is_in_intro_offer_period", word: isInIntroductoryOfferPeriod)
        members.add("promotional_offer_id", text: promotionalOfferIdentifier)
        members.add("cancellation_date", date: cancellationDate)
        members.add("cancellation_reason", digits: cancellationDate == nil ? nil : cancellationReason)
        members.add("in_app_ownership_type", text: inAppOwnershipType)
        members.add("subscription_group_identifier", text: subscriptionGroupIdentifier)
        members.add("is_upgraded", word: isUpgraded == true ? true : nil)
        members.add("app_account_token", text: appAccountToken)
        members.add("offer_code_ref_name", text: offerCodeReferenceName)
        return members.json
    }
}
