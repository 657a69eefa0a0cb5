public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One transaction: a one-time purchase, or one period of a subscription.
///
/// The properties come from receipts and signed transactions. A property is nil if no source contains it: receipts lack the
/// properties marked "Signed transactions only", and Xcode's receipts also lack the original transaction and the product type.
public struct Purchase: Sendable, Hashable {
    /// The product's identifier.
    public let productIdentifier: String?

    /// The transaction's identifier. Renewals and restored copies have identifiers of their own.
    public let transactionIdentifier: String?

    /// The identifier of the original transaction, shared by renewals and restored copies.
    public let originalTransactionIdentifier: String?

    /// The date of the purchase or renewal.
    public let purchaseDate: Date?

    /// The date of the original transaction. In some genuine receipts it is later than the purchase date.
    public let originalPurchaseDate: Date?

    /// The date a subscription's period ends.
    public internal(set) var expirationDate: Date?

    /// The type of the product.
    public let productType: InAppPurchase.ProductType?

    /// The number of items bought.
    public let quantity: Int?

    /// Whether the period is a free trial.
    public let isTrialPeriod: Bool?

    /// Whether the period is at an introductory price.
    public let isInIntroductoryOfferPeriod: Bool?

    /// The promotional offer that was redeemed.
    public let promotionalOfferIdentifier: String?

    /// The identifier of a subscription's purchase across devices.
    public let webOrderLineItemIdentifier: UInt64?

    /// Whether the customer upgraded to another product of the group, which ended this period. Signed transactions only.
    public package(set) var isUpgraded: Bool?

    /// The date of the token that contains the upgrade. The upgrade happened earlier.
    var upgradeSignedDate: Date?

    /// Whether the customer bought the product or has it through Family Sharing. Signed transactions only.
    public package(set) var ownership: PurchaseOwnership?

    /// The group of the subscription. Signed transactions only.
    public package(set) var subscriptionGroupIdentifier: String?

    /// The UUID with which the app associated the purchase with an account. Signed transactions only.
    public package(set) var appAccountToken: UUID?

    /// The reference name of the offer code that was redeemed. Signed transactions only.
    package var offerCodeReferenceName: String?

    /// Whether the transaction is one of several that share a period because each buys seats.
    package var sharesPeriod = false

    /// The number of seats of the transaction that were revoked.
    package var revokedSeatQuantity: Int?

    /// The refund, upgrade or end of Family Sharing that ended the purchase.
    package var revocation: Revocation?

    /// The date Apple refunded or revoked the purchase. In a receipt it may also be the date of an upgrade.
    public var cancellationDate: Date? { revocation?.date }

    /// A refund, an upgrade or the end of Family Sharing.
    package struct Revocation: Sendable, Hashable {
        package let date: Date
        /// 1 for an issue with the app, 0 for another reason.
        package var reason: Int64?
        /// Whether the end of Family Sharing is the reason.
        package var endsFamilySharing = false
        /// Whether only a receipt contains it, so that it may be an upgrade.
        var isFromReceiptAlone = false

        package init(
            _ date: Date, reason: Int64? = nil, endsFamilySharing: Bool = false, isFromReceiptAlone: Bool = false
        ) {
            self.date = date
            self.reason = reason
            self.endsFamilySharing = endsFamilySharing
            self.isFromReceiptAlone = isFromReceiptAlone
        }
    }

    package init(
        productIdentifier: String?, transactionIdentifier: String?, originalTransactionIdentifier: String?,
        purchaseDate: Date?, originalPurchaseDate: Date?, expirationDate: Date?, revocation: Revocation?,
        productType: InAppPurchase.ProductType?, quantity: Int?, isTrialPeriod: Bool?,
        isInIntroductoryOfferPeriod: Bool?, promotionalOfferIdentifier: String?, webOrderLineItemIdentifier: UInt64?
    ) {
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.expirationDate = expirationDate
        self.revocation = revocation
        self.productType = productType
        self.quantity = quantity
        self.isTrialPeriod = isTrialPeriod
        self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
        self.promotionalOfferIdentifier = promotionalOfferIdentifier
        self.webOrderLineItemIdentifier = webOrderLineItemIdentifier
    }

    package init(_ purchase: InAppPurchase) {
        self.init(
            productIdentifier: purchase.productIdentifier, transactionIdentifier: purchase.transactionIdentifier,
            originalTransactionIdentifier: purchase.originalTransactionIdentifier,
            purchaseDate: purchase.purchaseDate, originalPurchaseDate: purchase.originalPurchaseDate,
            expirationDate: purchase.expirationDate,
            revocation: purchase.cancellationDate.map { Revocation($0, isFromReceiptAlone: true) },
            productType: purchase.productType, quantity: purchase.quantity, isTrialPeriod: purchase.isTrialPeriod,
            isInIntroductoryOfferPeriod: purchase.isInIntroductoryOfferPeriod,
            promotionalOfferIdentifier: purchase.promotionalOfferIdentifier,
            webOrderLineItemIdentifier: purchase.webOrderLineItemIdentifier)
    }
}

extension Purchase {
    /// The identifier of the purchase within an app and environment.
    ///
    /// It is the original transaction's identifier, or the transaction's own if there is none: the first transaction is its own original.
    package var original: String? { originalTransactionIdentifier ?? transactionIdentifier }

    /// Whether the purchase is a period of an auto-renewable subscription, or is of an unknown type and has an expiration date.
    package var isSubscriptionPeriod: Bool {
        switch productType {
        case .autoRenewableSubscription: true
        case .nonConsumable, .consumable, .nonRenewingSubscription: false
        default: expirationDate != nil
        }
    }

    /// Returns whether one purchase precedes another: by date, then by transaction identifier as a number, then by the remaining values,
    /// so that the order of arrival has no effect.
    static func isOlder(_ left: Purchase, _ right: Purchase) -> Bool {
        let (leftKey, rightKey) = (left.sortKey, right.sortKey)
        if leftKey < rightKey { return true }
        if rightKey < leftKey || left == right { return false }
        return left.remainingValues.lexicographicallyPrecedes(right.remainingValues)
    }

    /// The values that aren't in the sort key, as text.
    private var remainingValues: [String] {
        let dates = [originalPurchaseDate, purchaseDate, expirationDate, revocation?.date]
        let numbers = [
            productType.map { Int64($0.rawValue) }, quantity.map { Int64($0) }, revokedSeatQuantity.map { Int64($0) },
            revocation?.reason,
        ]
        let flags = [
            isTrialPeriod, isInIntroductoryOfferPeriod, isUpgraded, sharesPeriod, revocation?.endsFamilySharing,
            revocation?.isFromReceiptAlone,
        ]
        let texts = [
            originalTransactionIdentifier, productIdentifier, transactionIdentifier, promotionalOfferIdentifier,
            webOrderLineItemIdentifier.map { String($0) }, ownership?.rawValue, subscriptionGroupIdentifier,
            appAccountToken?.uuidString, offerCodeReferenceName,
        ]
        return dates.map { $0.map { String($0.timeIntervalSince1970) } ?? "nil" }
            + numbers.map { $0.map { String($0) } ?? "nil" }
            + flags.map { $0.map { String($0) } ?? "nil" } + texts.map { $0.map { "=\($0)" } ?? "nil" }
    }

    private var sortKey: SortKey {
        SortKey(
            date: purchaseDate ?? .distantPast, transaction: transactionIdentifier ?? "",
            product: productIdentifier ?? "", end: expirationDate ?? .distantPast,
            cancellation: cancellationDate ?? .distantPast)
    }

    private struct SortKey: Comparable {
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

extension InAppPurchase {
    /// The identifier of the purchase within an app and environment, like `Purchase.original`.
    package var original: String? { originalTransactionIdentifier ?? transactionIdentifier }
}

extension Purchase: CustomStringConvertible {
    /// The product, without anything about the customer.
    public var description: String { "Purchase(\(productIdentifier ?? "no product identifier"))" }
}
