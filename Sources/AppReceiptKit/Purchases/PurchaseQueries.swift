#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What can be asked of a set of purchases.
///
/// The same questions go to what was verified (``Purchases``) and, for display and debugging, to what a receipt merely
/// says (``UnverifiedPurchases``). Let what grants something take ``Purchases``.
public protocol PurchaseQueries: Sendable {
    /// Every purchase, oldest first.
    var all: [Purchase] { get }
}

extension PurchaseQueries {
    /// The purchases of one product, oldest first, refunded ones included.
    ///
    /// Finished consumables are missing: they leave the receipt. Whether somebody else of the family bought it the receipt
    /// does not say.
    public func of(product: String) -> [Purchase] { all.filter { $0.productIdentifier == product } }

    /// The purchases of several products, such as those of a subscription group, oldest first.
    ///
    /// A receipt does not say which products form a group.
    public func of(products: Set<String>) -> [Purchase] {
        all.filter { $0.productIdentifier.map(products.contains) ?? false }
    }

    /// The purchases by product, each list oldest first. Those that name no product are left out. See ``of(product:)`` for
    /// what it cannot know.
    public var byProduct: [String: [Purchase]] {
        var products: [String: [Purchase]] = [:]
        for purchase in all {
            guard let product = purchase.productIdentifier else { continue }
            products[product, default: []].append(purchase)
        }
        return products
    }

    /// The latest transaction of a product, refunded or not: what was bought, renewed or restored last.
    ///
    /// Renewals since the receipt was signed are not in it: an expired latest period may have been renewed. Ask the
    /// store for a fresh receipt before taking something away.
    public func latest(of product: String) -> Purchase? {
        all.last { $0.productIdentifier == product }
    }

    /// Every purchase that gives the customer something at `date`, oldest first: periods of subscriptions, and
    /// non-consumables. Refunds and upgrades count from their date on. Where the product's type is not said (Xcode)
    /// everything without an end counts, consumables too.
    ///
    /// Where a receipt lists the same purchase twice (restores) and one of the two as refunded, it was refunded. Apple asks
    /// to treat a refunded purchase as never made; for a date before the refund this says instead what the
    /// customer had then, because a receipt cannot tell a refund from an upgrade. It cannot know grace periods and
    /// billing retries, what happened since it was signed, and whether a device's clock was set back:
    /// ``VerifiedReceipt/activePurchases(now:)`` at least never looks at a date before the receipt.
    public func active(at date: Date) -> [Purchase] { Self.active(all, at: date) }

    private static func active(_ purchases: [Purchase], at date: Date) -> [Purchase] {
        let refunds = Refunds(purchases)
        return purchases.filter { $0.isActive(at: date) && !refunds.took($0, by: date) }
    }

    /// Whether any of these products is active at `date`. See ``active(at:)`` for what it cannot know.
    public func isActive(anyOf products: Set<String>, at date: Date) -> Bool {
        !Self.active(of(products: products), at: date).isEmpty
    }

    /// Whether this product is active at `date`. See ``active(at:)`` for what it cannot know.
    public func isActive(_ product: String, at date: Date) -> Bool { isActive(anyOf: [product], at: date) }

    /// The non-consumables that were bought and not refunded, oldest first.
    ///
    /// Where the product's type is not said (Xcode) everything without an end counts, consumables too. A refund after the
    /// receipt was signed is not in it, nor is a transfer to another family member.
    public var ownedNonConsumables: [Purchase] { Self.owned(all) }

    private static func owned(_ purchases: [Purchase]) -> [Purchase] {
        let refunds = Refunds(purchases)
        return purchases.filter { $0.isKept && !refunds.took($0, by: .distantFuture) }
    }

    /// Whether this non-consumable was bought and not refunded. See ``ownedNonConsumables`` for what it cannot know.
    public func owns(_ product: String) -> Bool {
        !Self.owned(of(product: product)).isEmpty
    }
}

extension Purchase {
    /// Dates first; then transaction identifiers, which are numbers of many digits, as numbers; then what else there is,
    /// so that the order of the bytes never counts.
    var sortKey: SortKey {
        SortKey(
            date: purchaseDate ?? .distantPast, transaction: transactionIdentifier ?? "",
            product: productIdentifier ?? "", end: expirationDate ?? .distantPast,
            cancellation: cancellationDate ?? .distantPast)
    }

    struct SortKey: Comparable {
        let date: Date
        let transaction: String
        let product: String
        let end: Date
        let cancellation: Date

        static func < (left: SortKey, right: SortKey) -> Bool {
            if left.date != right.date { return left.date < right.date }
            let (leftLength, rightLength) = (left.transaction.utf8.count, right.transaction.utf8.count)
            if leftLength != rightLength { return leftLength < rightLength }
            return (left.transaction, left.product, left.end, left.cancellation)
                < (right.transaction, right.product, right.end, right.cancellation)
        }
    }
}
