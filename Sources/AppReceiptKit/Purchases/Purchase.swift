public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One transaction: something bought once, or one period of a subscription.
///
/// It comes from a receipt or from a signed transaction; what both say is here the same. A property is nil where its source
/// does not say: receipts do not know the last ones, and Xcode's receipts name neither original transaction nor product
/// type.
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

    /// When Apple refunded it or took it out of family sharing; in a receipt also when the customer upgraded to another
    /// product of its group, and a receipt does not say which.
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

    /// Whether the customer upgraded to another product of the group, which ended this period. Signed transactions only.
    public package(set) var isUpgraded: Bool?

    /// Who bought it. Signed transactions only.
    public package(set) var ownership: PurchaseOwnership?

    /// The group of the subscription. Signed transactions only.
    public package(set) var subscriptionGroupIdentifier: String?

    /// What the app gave to tell its accounts apart. Signed transactions only.
    public package(set) var appAccountToken: UUID?

    /// Until when the customer keeps access although the next period could not be billed. Renewal information only.
    public package(set) var gracePeriodExpirationDate: Date?

    package init(
        productIdentifier: String?, transactionIdentifier: String?, originalTransactionIdentifier: String?,
        purchaseDate: Date?, originalPurchaseDate: Date?, expirationDate: Date?, cancellationDate: Date?,
        productType: InAppPurchase.ProductType?, quantity: Int?, isTrialPeriod: Bool?,
        isInIntroductoryOfferPeriod: Bool?, promotionalOfferIdentifier: String?, webOrderLineItemIdentifier: UInt64?
    ) {
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expirationDate = expirationDate
        self.cancellationDate = cancellationDate
        self.productType = productType
        self.quantity = quantity
        self.isTrialPeriod = isTrialPeriod
        self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
        self.promotionalOfferIdentifier = promotionalOfferIdentifier
        self.webOrderLineItemIdentifier = webOrderLineItemIdentifier
    }

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

/// Who bought something that the customer has. Values that are not known are kept.
public struct PurchaseOwnership: RawRepresentable, Sendable, Hashable {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// Somebody else of the family.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
}

extension Purchase {
    /// Whether it gives the customer something at `date`: a period of a subscription that has begun and not ended, or
    /// something kept (a non-consumable); in either case only until it was refunded or upgraded.
    ///
    /// Consumables are never active, nor are non-renewing subscriptions, whose length only the app knows; but where the
    /// type is not said (Xcode), what has no end counts as kept. What it cannot know: grace periods, where no renewal
    /// information was given; renewals and refunds after its source was signed; when an upgrade ended it, if a signed
    /// transaction says that one did (it then counts at no date); and whether `date` is the truth: the clock of a device
    /// can be set.
    public func isActive(at date: Date) -> Bool {
        guard let start, start <= date, !wasCancelled(by: date), isUpgraded != true else { return false }
        if isSubscriptionPeriod { return accessEnd.map { date < $0 } ?? false }
        return isKept
    }

    /// When access ends that a period gives: its expiration date, or the end of the grace period after it.
    var accessEnd: Date? {
        guard let expirationDate, let gracePeriodExpirationDate else { return expirationDate }
        return max(expirationDate, gracePeriodExpirationDate)
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
