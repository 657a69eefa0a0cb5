public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Purchases that were verified: what grants something takes these.
///
/// They come from a ``VerifiedReceipt``, or from signed transactions, or both. What they prove is what the store knew when
/// it signed; see each question for what it cannot know.
public struct Purchases: PurchaseQueries, Hashable {
    /// Every purchase, oldest first.
    public let all: [Purchase]

    init(_ purchases: [InAppPurchase]) { all = Purchase.sorted(purchases) }

    /// - Parameter purchases: from verified sources only, in any order.
    package init(verified purchases: [Purchase]) { all = purchases.sorted { $0.sortKey < $1.sortKey } }
}

/// Purchases as the bytes of a receipt state them. Anybody can make bytes that state anything: for display and
/// debugging, never to grant something.
public struct UnverifiedPurchases: PurchaseQueries, Hashable {
    /// Every purchase, oldest first.
    public let all: [Purchase]

    init(_ purchases: [InAppPurchase]) { all = Purchase.sorted(purchases) }
}

extension Purchase {
    fileprivate static func sorted(_ purchases: [InAppPurchase]) -> [Purchase] {
        purchases.map { Purchase($0) }.sorted { $0.sortKey < $1.sortKey }
    }
}

extension VerifiedReceipt {
    /// The in-app purchases, oldest first, to be asked what the customer owns. They are sorted at every call: keep them
    /// while asking several questions of thousands.
    public var purchases: Purchases { Purchases(receipt.purchases) }

    /// What the customer has now: ``PurchaseQueries/active(at:)`` at `now`, or at the receipt's creation date if that is
    /// later, because a clock before it is wrong.
    ///
    /// It cannot know what happened after the creation date, nor a clock that was set back to a time after it.
    public func activePurchases(now: Date = Date()) -> [Purchase] {
        purchases.active(at: max(now, creationDate))
    }

    /// Whether the customer has any of these products now, subscriptions and non-consumables. See
    /// ``activePurchases(now:)``.
    public func hasActive(anyOf products: Set<String>, now: Date = Date()) -> Bool {
        purchases.isActive(anyOf: products, at: max(now, creationDate))
    }
}

extension AppReceipt {
    /// The in-app purchases as the bytes state them, oldest first. Nothing of it is proven.
    public var unverifiedPurchases: UnverifiedPurchases { UnverifiedPurchases(purchases) }
}
