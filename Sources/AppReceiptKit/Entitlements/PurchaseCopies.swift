import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Finds copies of a transaction: a restored purchase is the same purchase with another transaction identifier.
///
/// Copies have the same original transaction and product, and for subscriptions the same second of purchase and expiration. Transactions that
/// buy seats share a period but aren't copies.
enum PurchaseCopies {
    private struct Key: Hashable {
        let original: String
        let product: String?
        let purchased: Double?
        let expires: Double?
    }

    /// Returns the purchases, each revoked if any of its copies is. Its own revocation has precedence, then the earliest revocation of a copy.
    static func inheritingRevocations(_ results: [TransactionMerge.Result]) -> [Purchase] {
        // Only copies of a revoked transaction inherit.
        var originals: Set<String> = []
        for result in results where result.purchase.revocation != nil {
            if let original = result.purchase.original { originals.insert(original) }
        }
        var purchases = results.map(\.purchase)
        guard !originals.isEmpty else { return purchases }
        var related: [Int] = []
        for (index, result) in results.enumerated() {
            if let original = result.purchase.original, originals.contains(original) { related.append(index) }
        }
        var groups = Groups()
        for index in related { groups.join(keys(results[index])) }
        var revocations: [Key: Purchase.Revocation] = [:]
        for index in related {
            guard let revocation = purchases[index].revocation, let key = keys(results[index]).first else { continue }
            let group = groups.representative(of: key)
            if let known = revocations[group], !isEarlier(revocation, known) { continue }
            revocations[group] = revocation
        }
        for index in related where purchases[index].revocation == nil {
            guard let key = keys(results[index]).first else { continue }
            purchases[index].revocation = revocations[groups.representative(of: key)]
        }
        return purchases
    }

    /// Groups of keys that one transaction has, directly or through other transactions (a disjoint-set forest).
    private struct Groups {
        private var parents: [Key: Key] = [:]

        func representative(of key: Key) -> Key {
            var key = key
            while let parent = parents[key] { key = parent }
            return key
        }

        mutating func join(_ keys: [Key]) {
            guard let first = keys.first else { return }
            for key in keys.dropFirst() {
                let (left, right) = (representative(of: first), representative(of: key))
                if left != right { parents[right] = left }
            }
        }
    }

    /// Returns one key for each expiration date in the sources, because an extension may be known for only one of the copies.
    private static func keys(_ result: TransactionMerge.Result) -> [Key] {
        let purchase = result.purchase
        guard !purchase.sharesPeriod, let original = purchase.original else { return [] }
        guard purchase.isSubscriptionPeriod else {
            return [Key(original: original, product: purchase.productIdentifier, purchased: nil, expires: nil)]
        }
        guard let expiration = purchase.expirationDate?.wholeSeconds else { return [] }
        return ([expiration] + result.otherExpirations).map { expiration in
            Key(
                original: original, product: purchase.productIdentifier,
                purchased: purchase.purchaseDate?.wholeSeconds, expires: expiration)
        }
    }

    private static func isEarlier(_ left: Purchase.Revocation, _ right: Purchase.Revocation) -> Bool {
        if left.date != right.date { return left.date < right.date }
        // A token contains more details than a receipt.
        if left.isFromReceiptAlone != right.isFromReceiptAlone { return right.isFromReceiptAlone }
        return (left.reason ?? -1, left.endsFamilySharing ? 1 : 0) < (
            right.reason ?? -1, right.endsFamilySharing ? 1 : 0
        )
    }
}
