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
        let revoked = results.indices.filter { results[$0].purchase.hasRevocation }
        guard !revoked.isEmpty else { return }
        var groups = Groups()
        // Copies have an end in common, so only periods with the end of a revoked one need a key. All other purchases have the end nil.
        var ends = Set<Double?>(minimumCapacity: revoked.count)
        for result in results where !result.otherExpirations.isEmpty {
            guard let key = key(result) else { continue }
            ends.insert(key.expires)
            for expiration in result.otherExpirations {
                let other = key.expiring(at: expiration)
                ends.insert(other.expires)
                groups.join(key, other)
            }
        }
        var revocations = [Key: Purchase.Revocation](minimumCapacity: revoked.count)
        for index in revoked {
            guard let revocation = results[index].purchase.revocation, let key = key(results[index]) else { continue }
            ends.insert(key.expires)
            let group = groups.representative(of: key)
            if let known = revocations[group], !isEarlier(revocation, known) { continue }
            revocations[group] = revocation
        }
        guard !revocations.isEmpty else { return }
        for index in results.indices where ends.contains(end(of: results[index].purchase)) {
            guard !results[index].purchase.hasRevocation, let key = key(results[index]),
                let inherited = revocations[groups.representative(of: key)]
            else { continue }
            results[index].purchase.revocation = inherited
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
        guard let expires = end(of: purchase) else { return nil }
        return Key(
            original: original, product: purchase.productIdentifier, purchased: purchase.purchaseDate?.wholeSeconds,
            expires: expires)
    }

    /// Returns the end of a period in whole seconds, nil for other purchases.
    private static func end(of purchase: Purchase) -> Double? {
        purchase.isSubscriptionPeriod ? purchase.expirationDate?.wholeSeconds : nil
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
