import AppReceiptKit
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The answer for an app receipt, after its status. Only what was verified becomes one.
struct AppReceiptAnswer {
    let members: [JSONObject.Member]

    /// - Parameters:
    ///   - submitted: the receipt.
    ///   - history: what is known beyond the receipt, of its lines only; nil for nothing.
    ///   - now: `request_date`.
    init(_ submitted: KnownReceipt, history: CustomerHistory? = nil, excludesOldTransactions: Bool, now: Date) {
        let verified = submitted.receipt
        let receipt = verified.receipt
        let transactions = receipt.purchases.map(TransactionFields.init)
        var members = AnswerMembers(capacity: 5)
        members.add("environment", text: verified.environment?.answerName)
        members.add("receipt", Self.receipt(receipt, transactions, now: now))
        var all = members.members
        let subscriptions = zip(receipt.purchases, transactions).filter { Purchase($0.0).isSubscriptionPeriod }
        let own = subscriptions.map(\.1)
        let latest = history.map { LatestTransactions(own, submitted, $0).all } ?? own
        if !latest.isEmpty {
            all +=
                SubscriptionAnswer(
                    transactions: latest, renewals: history.flatMap(Self.renewals),
                    latestReceipt: Self.newest(submitted, history?.receipts ?? []).der,
                    excludesOldTransactions: excludesOldTransactions
                ).members
        }
        self.members = all
    }

    /// The receipt that was made last; of the same date the one that was sent.
    ///
    /// A receipt is given out as a whole. One with a purchase of a line that the submitted receipt does not hold would tell
    /// of it whoever has the old receipt, and is passed over.
    private static func newest(_ submitted: KnownReceipt, _ others: [KnownReceipt]) -> KnownReceipt {
        let newer = others.filter { $0.receipt.creationDate > submitted.receipt.creationDate }
        guard !newer.isEmpty else { return submitted }
        let lines = submitted.lines
        return newer.filter { $0.holdsNothing(but: lines) }.reduce(submitted) {
            $1.receipt.creationDate > $0.receipt.creationDate ? $1 : $0
        }
    }

    /// How subscriptions go on; nil where nothing is known of it.
    private static func renewals(_ history: CustomerHistory) -> [RenewalFields]? {
        history.renewals.isEmpty ? nil : history.renewals.map(RenewalFields.init)
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
