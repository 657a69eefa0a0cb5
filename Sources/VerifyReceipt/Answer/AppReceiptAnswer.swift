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
    ///   - submitted: the receipt, binary.
    ///   - history: what is known beyond the receipt; nil for nothing.
    ///   - now: `request_date`.
    init(
        _ verified: VerifiedReceipt, submitted: ArraySlice<UInt8>, history: CustomerHistory? = nil,
        excludesOldTransactions: Bool, now: Date
    ) {
        let receipt = verified.receipt
        let transactions = receipt.purchases.map(TransactionFields.init)
        var members = AnswerMembers(capacity: 5)
        members.add("environment", text: verified.environment?.answerName)
        members.add("receipt", Self.receipt(receipt, transactions, now: now))
        var all = members.members
        let subscriptions = zip(receipt.purchases, transactions).filter { Purchase($0.0).isSubscriptionPeriod }
        let own = subscriptions.map(\.1)
        let latest = history.map { Self.latest(own, $0, signed: verified.creationDate) } ?? own
        if !latest.isEmpty {
            all +=
                SubscriptionAnswer(
                    transactions: latest, renewals: history.flatMap(Self.renewals), latestReceipt: submitted,
                    excludesOldTransactions: excludesOldTransactions
                ).members
        }
        self.members = all
    }

    /// What receipt and history know of subscriptions, each transaction once: as the signed transaction has it, and
    /// refunded or not as the one of the two that was signed later says.
    private static func latest(
        _ own: [TransactionFields], _ history: CustomerHistory, signed: Date
    ) -> [TransactionFields] {
        var known: [String: VerifiedTransaction] = [:]
        for transaction in history.transactions where transaction.purchase.isSubscriptionPeriod {
            if let identifier = transaction.claims.transactionIdentifier { known[identifier] = transaction }
        }
        // A receipt may list the same transaction twice, once as refunded.
        var refunds: [String: Date] = [:]
        for transaction in own {
            guard let identifier = transaction.transactionIdentifier, let date = transaction.cancellationDate else {
                continue
            }
            refunds[identifier] = min(date, refunds[identifier] ?? date)
        }
        var given: Set<String> = []
        var transactions: [TransactionFields] = []
        for transaction in own {
            guard let identifier = transaction.transactionIdentifier, let other = known[identifier] else {
                transactions.append(transaction)
                continue
            }
            guard given.insert(identifier).inserted else { continue }
            let fields = TransactionFields(other)
            transactions.append(other.signedDate >= signed ? fields : fields.refunded(refunds[identifier]))
        }
        for transaction in history.transactions where transaction.purchase.isSubscriptionPeriod {
            let identifier = transaction.claims.transactionIdentifier
            guard let identifier, given.insert(identifier).inserted else { continue }
            transactions.append(TransactionFields(transaction))
        }
        return transactions
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
