public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One transaction: something bought once, or one period of a subscription.
///
/// A property is nil where its source does not say. Xcode's receipts, for one, name neither original transaction nor
/// product type.
public struct Purchase: Sendable, Hashable {
    /// The product's identifier.
    public let productIdentifier: String?

    /// The transaction's identifier; new with every renewal and restore.
    public let transactionIdentifier: String?

    /// The identifier of the first transaction of its line; the same through renewals and restores.
    public let originalTransactionIdentifier: String?

    /// When it was bought, renewed or restored.
    public let purchaseDate: Date?

    /// The date of the line's first transaction. In genuine receipts it has been seen to lie after the purchase date.
    public let originalPurchaseDate: Date?

    /// When the period of a subscription ends.
    public let expirationDate: Date?

    /// When Apple refunded it, or the customer upgraded to another product of its group; a receipt does not say which.
    public let cancellationDate: Date?

    /// What kind of product it is.
    public let productType: InAppPurchase.ProductType?

    /// How many were bought.
    public let quantity: Int?

    /// Whether the period is a free trial.
    public let isTrialPeriod: Bool?

    /// Whether the period is at an introductory price.
    public let isInIntroductoryOfferPeriod: Bool?

    /// The promotional offer that was redeemed.
    public let promotionalOfferIdentifier: String?

    /// The primary key of a subscription's purchase across devices.
    public let webOrderLineItemIdentifier: UInt64?

    package init(_ purchase: InAppPurchase) {
        productIdentifier = purchase.productIdentifier
        transactionIdentifier = purchase.transactionIdentifier
        originalTransactionIdentifier = purchase.originalTransactionIdentifier
        purchaseDate = purchase.purchaseDate
        originalPurchaseDate = purchase.originalPurchaseDate
        expirationDate = purchase.expirationDate
        cancellationDate = purchase.cancellationDate
        productType = purchase.productType
        quantity = purchase.quantity
        isTrialPeriod = purchase.isTrialPeriod
        isInIntroductoryOfferPeriod = purchase.isInIntroductoryOfferPeriod
        promotionalOfferIdentifier = purchase.promotionalOfferIdentifier
        webOrderLineItemIdentifier = purchase.webOrderLineItemIdentifier
    }
}

extension Purchase {
    /// Whether it gives the customer something at `date`: a period of a subscription that has begun and not ended, or
    /// something kept (a non-consumable); in either case only until it was refunded or upgraded.
    ///
    /// Consumables are never active, nor are non-renewing subscriptions, whose length only the app knows; but where the
    /// type is not said (Xcode), what has no end counts as kept. What it cannot know: grace periods and billing retries,
    /// renewals and refunds after its source was signed, and whether `date` is the truth: the clock of a device can be
    /// set.
    public func isActive(at date: Date) -> Bool {
        guard let start, start <= date, !wasCancelled(by: date) else { return false }
        if isSubscriptionPeriod { return expirationDate.map { date < $0 } ?? false }
        return isKept
    }

    /// Whether it was refunded or upgraded at `date` or before.
    public func wasCancelled(by date: Date) -> Bool { cancellationDate.map { $0 <= date } ?? false }

    /// The identifier that it shares with the rest of its line: the original transaction's, or its own where no
    /// original is named, since a line's first transaction is its own original.
    public var lineIdentifier: String? { originalTransactionIdentifier ?? transactionIdentifier }

    /// Whether it is a period of a subscription that the store renews, or, where the type is not said or not known,
    /// something else with an end.
    public var isSubscriptionPeriod: Bool {
        switch productType {
        case .autoRenewableSubscription: true
        case .nonConsumable, .consumable, .nonRenewingSubscription: false
        default: expirationDate != nil
        }
    }

    /// Whether it is kept once bought: a non-consumable, or, where the type is not said, something without an end.
    var isKept: Bool { productType == .nonConsumable || productType == nil && expirationDate == nil }

    /// From when on it counts. A restored non-consumable has been owned since its original purchase.
    private var start: Date? {
        guard isKept, let originalPurchaseDate else { return purchaseDate }
        return purchaseDate.map { min($0, originalPurchaseDate) } ?? originalPurchaseDate
    }
}

extension Purchase: CustomStringConvertible {
    /// One line that names the product and nothing of its customer.
    public var description: String { "Purchase(\(productIdentifier ?? "no product identifier"))" }
}
