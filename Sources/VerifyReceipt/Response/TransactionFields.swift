import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One element of `in_app` or `latest_receipt_info`. Unknown values are left out.
struct TransactionFields: Sendable, Hashable {
    private let purchase: Purchase

    init(_ purchase: Purchase) { self.purchase = purchase }

    /// A transaction of a receipt, with the cancellation from all evidence.
    init(_ purchase: InAppPurchase, in ledger: PurchaseLedger) {
        var claimed = Purchase(purchase)
        claimed.revocation = ledger.merged(claimed).revocation
        self.purchase = claimed
    }

    var isSubscriptionPeriod: Bool { purchase.isSubscriptionPeriod }
    var isRevoked: Bool { purchase.revocation != nil }
    var purchaseDate: Date { purchase.purchaseDate ?? .distantPast }
    var expirationDate: Date { purchase.expirationDate ?? .distantPast }
    var originalTransactionIdentifier: String? { purchase.originalTransactionIdentifier }
    var productIdentifier: String? { purchase.productIdentifier }

    /// The element, every value a string, in the order of Apple's responses.
    var json: JSONValue {
        var members = ResponseMembers(capacity: 26)
        members.add("quantity", digits: purchase.quantity)
        members.add("product_id", text: purchase.productIdentifier)
        members.add("transaction_id", text: purchase.transactionIdentifier)
        members.add("original_transaction_id", text: purchase.originalTransactionIdentifier)
        members.add("purchase_date", date: purchase.purchaseDate)
        members.add("original_purchase_date", date: purchase.originalPurchaseDate)
        members.add("expires_date", date: purchase.expirationDate)
        members.add("web_order_line_item_id", digits: purchase.webOrderLineItemIdentifier)
        members.add("is_trial_period", trueOrFalse: purchase.isTrialPeriod)
        members.add("is_in_intro_offer_period", trueOrFalse: purchase.isInIntroductoryOfferPeriod)
        members.add("promotional_offer_id", text: purchase.promotionalOfferIdentifier)
        members.add("cancellation_date", date: purchase.revocation?.date)
        members.add("cancellation_reason", digits: purchase.revocation?.reason)
        members.add("in_app_ownership_type", text: purchase.ownership?.rawValue)
        members.add("subscription_group_identifier", text: purchase.subscriptionGroupIdentifier)
        members.add("is_upgraded", trueOrFalse: purchase.isUpgraded == true ? true : nil)
        members.add("app_account_token", text: purchase.appAccountToken?.uuidString.lowercased())
        members.add("offer_code_ref_name", text: purchase.offerCodeReferenceName)
        return members.json
    }
}
