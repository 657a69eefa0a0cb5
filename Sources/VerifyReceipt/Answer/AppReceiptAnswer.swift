import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The answer for an app receipt, after its status. Only what was verified becomes one.
struct AppReceiptAnswer {
    let members: [JSONObject.Member]

    /// - Parameters:
    ///   - submitted: the receipt, binary.
    ///   - now: `request_date`.
    init(
        _ verified: VerifiedReceipt, submitted: ArraySlice<UInt8>, excludesOldTransactions: Bool, now: Date
    ) {
        let receipt = verified.receipt
        let transactions = receipt.purchases.map(TransactionFields.init)
        var members = AnswerMembers(capacity: 5)
        members.add("environment", text: verified.environment?.answerName)
        members.add("receipt", Self.receipt(receipt, transactions, now: now))
        var all = members.members
        let subscriptions = zip(receipt.purchases, transactions).filter { Purchase($0.0).isSubscriptionPeriod }
        if !subscriptions.isEmpty {
            all +=
                SubscriptionAnswer(
                    transactions: subscriptions.map(\.1), latestReceipt: submitted,
                    excludesOldTransactions: excludesOldTransactions
                ).members
        }
        self.members = all
    }

    /// `receipt`: numbers as numbers, of 64 bits, and the transactions in the order of the receipt.
    private static func receipt(
        _ receipt: AppReceipt, _ transactions: [TransactionFields], now: Date
    ) -> JSONValue {
        var members = AnswerMembers(capacity: 24)
        members.add("receipt_type", text: receipt.environment?.rawValue)
        members.add("adam_id", number: receipt.appStoreIdentifier)
        members.add("app_item_id", number: receipt.appStoreIdentifier)
        members.add("bundle_id", text: receipt.bundleIdentifier)
        members.add("application_version", text: receipt.appVersion)
        members.add("download_id", number: receipt.downloadIdentifier)
        members.add("version_external_identifier", number: receipt.versionExternalIdentifier)
        members.add("receipt_creation_date", date: receipt.creationDate)
        members.add("request_date", date: now)
        members.add("original_purchase_date", date: receipt.originalPurchaseDate)
        members.add("original_application_version", text: receipt.originalAppVersion)
        members.add("preorder_date", date: receipt.preorderDate)
        members.add("expiration_date", date: receipt.expirationDate)
        members.add("in_app", .array(transactions.map(\.json)))
        return members.json
    }
}
