import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The members that follow `receipt` if the receipt contains subscriptions, or purchases that were refunded or revoked.
///
/// `latest_receipt_info` is newest first, by purchase date: some clients read only its first element, and Apple documents no order.
/// Transactions of the same date keep their order.
struct LatestReceiptInfo {
    /// Transactions of subscriptions, and refunded or revoked one-time purchases, in any order.
    var transactions: [TransactionFields]
    /// The renewal of subscriptions; nil if none is known.
    var renewals: [RenewalFields]?
    /// The newest receipt in binary form.
    var latestReceipt: ArraySlice<UInt8>
    /// Whether only the newest transaction of each subscription is requested.
    var excludesOldTransactions: Bool
    /// The subscriptions with an element of `pending_renewal_info`.
    var renewalInfo = VerifyReceiptResponder.RenewalInfo.known

    var members: [JSONObject.Member] {
        var members = ResponseMembers(capacity: 3)
        let elements = excludesOldTransactions ? withoutOldTransactions : newestFirst
        members.add("latest_receipt_info", .array(elements.map(\.json)))
        members.add("latest_receipt", text: Data(latestReceipt).base64EncodedString())
        let renewals = renewalInfo == .always ? completeRenewals : renewals
        members.add("pending_renewal_info", renewals.map { .array($0.map(\.json)) })
        return members.members
    }

    /// The known renewals, then an element for every other subscription; nil if there are no subscriptions.
    private var completeRenewals: [RenewalFields]? {
        var renewals = renewals ?? []
        var originals = Set(renewals.map(\.originalTransactionIdentifier))
        for transaction in newestFirst where transaction.isSubscriptionPeriod {
            // Xcode's receipts don't contain the original transaction.
            let identifier = transaction.originalTransactionIdentifier ?? transaction.productIdentifier
            guard originals.insert(identifier).inserted else { continue }
            renewals.append(RenewalFields(unknownRenewalOf: transaction))
        }
        return renewals.isEmpty ? nil : renewals
    }

    private var newestFirst: [TransactionFields] {
        transactions.enumerated().sorted { left, right in
            let dates = (left.element.purchaseDate, right.element.purchaseDate)
            return dates.0 == dates.1 ? left.offset < right.offset : dates.0 > dates.1
        }.map(\.element)
    }

    /// The newest transaction of each subscription: by purchase date, then by expiration; of equal ones a revoked one, because the filter
    /// must not hide a revocation. One-time purchases in the list were all refunded or revoked, and stay.
    private var withoutOldTransactions: [TransactionFields] {
        var positions: [SubscriptionKey: Int] = [:]
        var newest: [TransactionFields] = []
        for transaction in newestFirst {
            guard transaction.isSubscriptionPeriod else {
                newest.append(transaction)
                continue
            }
            let key = SubscriptionKey(transaction)
            guard let position = positions[key] else {
                positions[key] = newest.count
                newest.append(transaction)
                continue
            }
            let known = newest[position]
            guard transaction.purchaseDate == known.purchaseDate else { continue }
            if transaction.expirationDate > known.expirationDate
                || transaction.expirationDate == known.expirationDate && transaction.isRevoked && !known.isRevoked
            {
                newest[position] = transaction
            }
        }
        return newest
    }

    /// The key that the transactions of a subscription share. Xcode's receipts don't contain the original transaction and repeat
    /// identifiers, so for them it is the product.
    private struct SubscriptionKey: Hashable {
        let original: String?
        let product: String?

        init(_ transaction: TransactionFields) {
            original = transaction.originalTransactionIdentifier
            product = original == nil ? transaction.productIdentifier : nil
        }
    }
}
