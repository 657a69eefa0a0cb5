import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// One element of `in_app` or `latest_receipt_info`. Unknown values are left out.
struct TransactionFields: Sendable, Hashable {
    private var purchase: AppStoreTransaction

    init(_ purchase: AppStoreTransaction) { self.purchase = purchase }

    /// A transaction of a receipt, with the cancellation from all evidence.
    ///
    /// - Parameters:
    ///   - claimed: The transaction in the receipt.
    ///   - merged: The transaction from all evidence.
    init(_ claimed: AppStoreTransaction, canceledLike merged: AppStoreTransaction) {
        purchase = claimed
        if claimed.revocation != merged.revocation { purchase.revocation = merged.revocation }
    }

    var isSubscriptionPeriod: Bool { purchase.isSubscriptionPeriod }
    var isRevoked: Bool { purchase.hasRevocation }
    var expirationDate: Date { purchase.expirationDate ?? .distantPast }
    /// The date that orders the transaction among others.
    var periodStart: Date { purchase.periodStart }
    var originalTransactionIdentifier: String? { purchase.originalTransactionIdentifier }
    var productIdentifier: String? { purchase.productIdentifier }

    /// Writes the members of the element, every value a string, in the order of Apple's responses.
    func write(to writer: inout JSONWriter) {
        let purchaseDate = purchase.purchaseDate.map { AppStoreDate($0) }
        // The first transaction has equal dates.
        let originalPurchaseDate =
            purchase.originalPurchaseDate == purchase.purchaseDate
            ? purchaseDate : purchase.originalPurchaseDate.map { AppStoreDate($0) }
        writer.memberIfPresent("quantity", digits: purchase.quantity.map { Int64($0) })
        writer.memberIfPresent("product_id", purchase.productIdentifier)
        writer.memberIfPresent("transaction_id", purchase.transactionIdentifier)
        writer.memberIfPresent("original_transaction_id", purchase.originalTransactionIdentifier)
        if let purchaseDate { writer.member("purchase_date", date: purchaseDate) }
        if let originalPurchaseDate { writer.member("original_purchase_date", date: originalPurchaseDate) }
        writer.memberIfPresent("expires_date", dateInThreeForms: purchase.expirationDate)
        writer.memberIfPresent("web_order_line_item_id", digits: purchase.webOrderLineItemIdentifier)
        writer.memberIfPresent("is_trial_period", trueOrFalse: purchase.isTrialPeriod)
        writer.memberIfPresent("is_in_intro_offer_period", trueOrFalse: purchase.isInIntroductoryOfferPeriod)
        writer.memberIfPresent("promotional_offer_id", purchase.promotionalOfferIdentifier)
        writer.memberIfPresent("cancellation_date", dateInThreeForms: purchase.revocation?.date)
        writer.memberIfPresent("cancellation_reason", digits: purchase.revocation?.reason)
        writer.memberIfPresent("in_app_ownership_type", purchase.ownership?.rawValue)
        writer.memberIfPresent("subscription_group_identifier", purchase.subscriptionGroupIdentifier)
        writer.memberIfPresent("is_upgraded", trueOrFalse: purchase.isUpgraded == true ? true : nil)
        writer.memberIfPresent("app_account_token", purchase.appAccountToken?.uuidString.lowercased())
        writer.memberIfPresent("offer_code_ref_name", purchase.offerCodeReferenceName)
    }
}

extension AppStoreTransaction {
    /// The beginning of the period, or the date of a one-time purchase.
    ///
    /// A period that was restored after its end has the date of the restoration as its purchase date. It ended before, so it is ordered by
    /// its end: otherwise it would hide the current period.
    var periodStart: Date {
        let date = purchaseDate ?? .distantPast
        guard isSubscriptionPeriod, let expirationDate else { return date }
        return min(date, expirationDate)
    }
}
