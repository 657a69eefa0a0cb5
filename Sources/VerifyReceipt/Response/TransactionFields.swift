import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// One element of `in_app` or `latest_receipt_info`. Unknown values are left out.
struct TransactionFields: Sendable, Hashable {
    private let transaction: AppStoreTransaction

    init(_ transaction: AppStoreTransaction) { self.transaction = transaction }

    /// A transaction of a receipt, with the cancellation from all evidence.
    ///
    /// - Parameters:
    ///   - claimed: The transaction in the receipt.
    ///   - merged: The transaction from all evidence.
    init(_ claimed: AppStoreTransaction, canceledLike merged: AppStoreTransaction) {
        transaction =
            claimed.revocation == merged.revocation ? claimed : claimed.with { $0.revocation = merged.revocation }
    }

    var isSubscriptionPeriod: Bool { transaction.isSubscriptionPeriod }
    var isRevoked: Bool { transaction.hasRevocation }
    var expirationDate: Date { transaction.expirationDate ?? .distantPast }
    /// The date that orders the transaction among others.
    var periodStart: Date { transaction.periodStart }
    var originalTransactionIdentifier: String? { transaction.originalTransactionIdentifier }
    var productIdentifier: String? { transaction.productIdentifier }

    /// Writes the members of the element, every value a string, in the order of Apple's responses.
    func write(to writer: inout JSONWriter) {
        let purchaseDate = transaction.purchaseDate.map { AppStoreDate($0) }
        // The first transaction has equal dates.
        let originalPurchaseDate =
            transaction.originalPurchaseDate == transaction.purchaseDate
            ? purchaseDate : transaction.originalPurchaseDate.map { AppStoreDate($0) }
        writer.memberIfPresent("quantity", digits: transaction.quantity.map { Int64($0) })
        writer.memberIfPresent("product_id", transaction.productIdentifier)
        writer.memberIfPresent("transaction_id", transaction.transactionIdentifier)
        writer.memberIfPresent("original_transaction_id", transaction.originalTransactionIdentifier)
        if let purchaseDate { writer.member("purchase_date", date: purchaseDate) }
        if let originalPurchaseDate { writer.member("original_purchase_date", date: originalPurchaseDate) }
        writer.memberIfPresent("expires_date", dateInThreeForms: transaction.expirationDate)
        writer.memberIfPresent("web_order_line_item_id", digits: transaction.webOrderLineItemIdentifier)
        writer.memberIfPresent("is_trial_period", trueOrFalse: transaction.isTrialPeriod)
        writer.memberIfPresent("is_in_intro_offer_period", trueOrFalse: transaction.isInIntroductoryOfferPeriod)
        writer.memberIfPresent("promotional_offer_id", transaction.promotionalOfferIdentifier)
        writer.memberIfPresent("cancellation_date", dateInThreeForms: transaction.revocation?.date)
        writer.memberIfPresent("cancellation_reason", digits: transaction.revocation?.reason)
        writer.memberIfPresent("in_app_ownership_type", transaction.ownership?.rawValue)
        writer.memberIfPresent("subscription_group_identifier", transaction.subscriptionGroupIdentifier)
        writer.memberIfPresent("is_upgraded", trueOrFalse: transaction.isUpgraded == true ? true : nil)
        writer.memberIfPresent("app_account_token", transaction.appAccountToken?.uuidString.lowercased())
        writer.memberIfPresent("offer_code_ref_name", transaction.offerCodeReferenceName)
    }
}

extension AppStoreTransaction {
    /// The beginning of the period, or the date of a one-time purchase.
    ///
    /// A period that was restored after its end has the date of the restoration as its purchase date. It ended before,
    /// so it is ordered by its end: otherwise it would hide the current period.
    var periodStart: Date {
        let date = purchaseDate ?? .distantPast
        guard isSubscriptionPeriod, let expirationDate else { return date }
        return min(date, expirationDate)
    }
}
