import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What follows `receipt` in the answer for a receipt with auto-renewable subscriptions.
///
/// `latest_receipt_info` is newest first, by purchase date: naive clients look at its first element, and for Apple's no
/// order is promised. Transactions of the same date stand in the order in which they were given.
struct SubscriptionAnswer {
    /// The transactions of subscriptions, in any order.
    var transactions: [TransactionFields]
    /// How the subscriptions go on; nil where nothing is known of it.
    var renewals: [RenewalFields]?
    /// The newest receipt, binary.
    var latestReceipt: ArraySlice<UInt8>
    /// Whether only the newest transaction of each subscription is wanted.
    var excludesOldTransactions: Bool

    var members: [JSONObject.Member] {
        var members = AnswerMembers(capacity: 3)
        let elements = excludesOldTransactions ? newestOfEachLine : newestFirst
        members.add("latest_receipt_info", .array(elements.map(\.json)))
        members.add("latest_receipt", text: Data(latestReceipt).base64EncodedString())
        members.add("pending_renewal_info", renewals.map { .array($0.map(\.json)) })
        return members.members
    }

    private var newestFirst: [TransactionFields] {
        transactions.enumerated().sorted { left, right in
            let dates = (left.element.purchaseDate ?? .distantPast, right.element.purchaseDate ?? .distantPast)
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 > dates.1
        }.map(\.element)
    }

    /// The first transaction of each line, which its original transaction names. Of the same date the one that ends last
    /// is the newest.
    private var newestOfEachLine: [TransactionFields] {
        var positions: [Line: Int] = [:]
        var newest: [TransactionFields] = []
        for transaction in newestFirst {
            let line = Line(transaction)
            guard let position = positions[line] else {
                positions[line] = newest.count
                newest.append(transaction)
                continue
            }
            if transaction.purchaseDate == newest[position].purchaseDate,
                transaction.expirationDate ?? .distantPast > newest[position].expirationDate ?? .distantPast
            {
                newest[position] = transaction
            }
        }
        return newest
    }

    /// What the transactions of a subscription have in common. Xcode names no original and numbers several transactions
    /// the same: there it is the product.
    private struct Line: Hashable {
        let original: String?
        let product: String?

        init(_ transaction: TransactionFields) {
            original = transaction.originalTransactionIdentifier
            product = original == nil ? transaction.productIdentifier : nil
        }
    }
}
