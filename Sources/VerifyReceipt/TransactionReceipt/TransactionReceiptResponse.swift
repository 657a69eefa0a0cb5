import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The response for a transaction receipt from before iOS 7, after its status.
///
/// `receipt` is flat, all strings, and mirrors the purchase info; clients recognize it by `bid`. For a subscription, `latest_receipt_info` is
/// the newest known transaction in the same form, or `latest_expired_receipt_info` if that one ended. A purchase that was refunded has its
/// cancellation in both.
struct TransactionReceiptResponse {
    let members: [JSONObject.Member]
    /// Whether the subscription ended, according to the known evidence.
    let isExpired: Bool

    /// - Parameters:
    ///   - receipt: A verified receipt.
    ///   - submitted: The receipt's bytes.
    ///   - history: The known evidence for its original transaction.
    ///   - now: The date at which a subscription is evaluated.
    init(_ receipt: TransactionReceipt, submitted: ArraySlice<UInt8>, history: CustomerHistory, now: Date) {
        let claimed = receipt.purchase
        let ledger = PurchaseLedger(
            bundleIdentifier: receipt.bundleIdentifier ?? "", environment: receipt.environment,
            receipts: history.receipts,
            ownEvidence: [.init(creationDate: receipt.purchaseDate, purchases: [claimed])],
            transactions: history.transactions, renewals: history.renewals)
        let own = ledger.merged(claimed)
        let latest = ledger.purchases.last { $0.original == claimed.original && $0.isSubscriptionPeriod }
        isExpired = latest?.expirationDate.map { $0 <= now } ?? false

        let mirror = Self.mirror(receipt.info)
        let info = mirror.adding(Self.cancellation(own))
        var members = ResponseMembers(capacity: 8)
        members.add("environment", text: receipt.environment?.responseName)
        members.add("receipt", .object(info))
        if let latest {
            let isOwn = latest.transactionIdentifier == own.transactionIdentifier
            let latestInfo = isOwn ? info : mirror.adding(Self.transaction(latest))
            members.add(isExpired ? "latest_expired_receipt_info" : "latest_receipt_info", .object(latestInfo))
            if !isExpired { members.add("latest_receipt", text: Data(submitted).base64EncodedString()) }
        } else if own.revocation != nil {
            members.add("latest_receipt_info", .object(info))
        }
        if let renewal = history.renewals.max(by: { $1.isNewer(than: $0) }).map(RenewalFields.init) {
            members.add("auto_renew_status", number: renewal.autoRenewStatus.map { $0 ? 1 : 0 })
            members.add("auto_renew_product_id", text: renewal.autoRenewProductIdentifier)
            members.add("is_in_billing_retry_period", oneOrZero: renewal.isInBillingRetryPeriod)
            members.add("expiration_intent", digits: renewal.expirationIntent)
        }
        self.members = members.members
    }

    /// The purchase info with the names of JSON, in its order. If two keys become the same name, the last one is used.
    private static func mirror(_ info: StringPropertyList) -> JSONObject {
        var object = JSONObject()
        for (key, value) in info.entries {
            object[String(key.map { $0 == "-" ? "_" : $0 })] = .string(value)
        }
        return object
    }

    private static func cancellation(_ purchase: Purchase) -> [JSONObject.Member] {
        var members = ResponseMembers(capacity: 4)
        members.add("cancellation_date", date: purchase.revocation?.date)
        members.add("cancellation_reason", digits: purchase.revocation?.reason)
        return members.members
    }

    /// The members that differ between transactions, in the form of such receipts: `expires_date` is in milliseconds.
    private static func transaction(_ purchase: Purchase) -> [JSONObject.Member] {
        let expiration = purchase.expirationDate.map { AppStoreDate($0) }
        var members = ResponseMembers(capacity: 24)
        members.add("quantity", digits: purchase.quantity)
        members.add("product_id", text: purchase.productIdentifier)
        members.add("transaction_id", text: purchase.transactionIdentifier)
        members.add("purchase_date", date: purchase.purchaseDate)
        members.add("expires_date", digits: expiration?.milliseconds)
        members.add("expires_date_formatted", text: expiration?.utc)
        members.add("expires_date_formatted_pst", text: expiration?.pacific)
        members.add("web_order_line_item_id", digits: purchase.webOrderLineItemIdentifier)
        members.add("is_trial_period", trueOrFalse: purchase.isTrialPeriod)
        members.add("is_in_intro_offer_period", trueOrFalse: purchase.isInIntroductoryOfferPeriod)
        members.add("in_app_ownership_type", text: purchase.ownership?.rawValue)
        members.add("subscription_group_identifier", text: purchase.subscriptionGroupIdentifier)
        return members.members + cancellation(purchase)
    }
}

extension JSONObject {
    /// The object, with these members replacing those of the same names or appended.
    fileprivate func adding(_ members: [JSONObject.Member]) -> JSONObject {
        var object = self
        for member in members { object[member.name] = member.value }
        return object
    }
}
