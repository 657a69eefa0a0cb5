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

        /// The same key with another expiration date, for subscriptions only.
        func expiring(at expiration: Double) -> Key {
            Key(
                original: original, product: product, purchased: purchased,
                expires: expires == nil ? nil : expiration)
        }
    }

    /// Revokes each purchase of which a copy is revoked. Its own revocation has precedence, then the earliest revocation of a copy.
    static func inheritRevocations(_ results: inout [TransactionMerge.Result]) {
        // Copies share the original transaction, so most transactions need no key.
        var revoked: Set<String> = []
        for result in results where result.purchase.hasRevocation {
            if let original = result.purchase.original { revoked.insert(original) }
        }
        guard !revoked.isEmpty else { return }
        var groups = Groups()
        for result in results where !result.otherExpirations.isEmpty {
            guard let key = key(result) else { continue }
            for expiration in result.otherExpirations { groups.join(key, key.expiring(at: expiration)) }
        }
        var revocations: [Key: Purchase.Revocation] = [:]
        for result in results {
            guard let revocation = result.purchase.revocation, let key = key(result) else { continue }
            let group = groups.representative(of: key)
            if let known = revocations[group], !isEarlier(revocation, known) { continue }
            revocations[group] = revocation
        }
        for index in results.indices where !results[index].purchase.hasRevocation {
            guard let original = results[index].purchase.original, revoked.contains(original),
                let key = key(results[index])
            else { continue }
            if let inherited = revocations[groups.representative(of: key)] {
                results[index].purchase.revocation = inherited
            }
        }
    }

    /// Groups of keys that one transaction has, directly or through other transactions (a disjoint-set forest).
    private struct Groups {
        private var parents: [Key: Key] = [:]

        mutating func representative(of key: Key) -> Key {
            var key = key
            while let parent = parents[key] {
                // Shortens the path that the next search follows, which keeps the searches together nearly linear.
                if let grandparent = parents[parent] { parents[key] = grandparent }
                key = parent
            }
            return key
        }

        mutating func join(_ one: Key, _ other: Key) {
            let (left, right) = (representative(of: one), representative(of: other))
            if left != right { parents[right] = left }
        }
    }

    /// Returns the key of a transaction. It has another one for each other expiration date in its sources, because an extension may be known for
    /// only one of the copies.
    private static func key(_ result: TransactionMerge.Result) -> Key? {
        let purchase = result.purchase
        guard !purchase.sharesPeriod, let original = purchase.original else { return nil }
        guard purchase.isSubscriptionPeriod else {
            return Key(original: original, product: purchase.productIdentifier, purchased: nil, expires: nil)
        }
        guard let expirationDate = purchase.expirationDate else { return nil }
        return Key(
            original: original, product: purchase.productIdentifier, purchased: purchase.purchaseDate?.wholeSeconds,
            expires: expirationDate.wholeSeconds)
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
