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
    /// The values, in a class: purchases are copied often, and they are large.
    private var storage: Storage

    /// The product's identifier.
    public var productIdentifier: String? { storage.values.productIdentifier }

    /// The transaction's identifier. Renewals and restored copies have identifiers of their own.
    public var transactionIdentifier: String? { storage.values.transactionIdentifier }

    /// The identifier of the original transaction, shared by renewals and restored copies.
    public var originalTransactionIdentifier: String? { storage.values.originalTransactionIdentifier }

    /// The date of the purchase or renewal.
    public var purchaseDate: Date? { storage.values.purchaseDate }

    /// The date of the original transaction. In some genuine receipts it is later than the purchase date.
    public var originalPurchaseDate: Date? { storage.values.originalPurchaseDate }

    /// The date a subscription's period ends.
    public internal(set) var expirationDate: Date? {
        get { storage.values.expirationDate }
        set { update { $0.expirationDate = newValue } }
    }

    /// The type of the product.
    public var productType: InAppPurchase.ProductType? { storage.values.productType }

    /// The number of items bought.
    public var quantity: Int? { storage.values.quantity }

    /// Whether the period is a free trial.
    public var isTrialPeriod: Bool? { storage.values.isTrialPeriod }

    /// Whether the period is at an introductory price.
    public var isInIntroductoryOfferPeriod: Bool? { storage.values.isInIntroductoryOfferPeriod }

    /// The promotional offer that was redeemed.
    public var promotionalOfferIdentifier: String? { storage.values.promotionalOfferIdentifier }

    /// The identifier of a subscription's purchase across devices.
    public var webOrderLineItemIdentifier: UInt64? { storage.values.webOrderLineItemIdentifier }

    /// Whether the customer upgraded to another product of the group, which ended this period. Signed transactions only.
    public package(set) var isUpgraded: Bool? {
        get { storage.values.isUpgraded }
        set { update { $0.isUpgraded = newValue } }
    }

    /// The date of the token that contains the upgrade. The upgrade happened earlier.
    var upgradeSignedDate: Date? {
        get { storage.values.upgradeSignedDate }
        set { update { $0.upgradeSignedDate = newValue } }
    }

    /// Whether the customer bought the product or has it through Family Sharing. Signed transactions only.
    public package(set) var ownership: PurchaseOwnership? {
        get { storage.values.ownership }
        set { update { $0.ownership = newValue } }
    }

    /// The group of the subscription. Signed transactions only.
    public package(set) var subscriptionGroupIdentifier: String? {
        get { storage.values.subscriptionGroupIdentifier }
        set { update { $0.subscriptionGroupIdentifier = newValue } }
    }

    /// The UUID with which the app associated the purchase with an account. Signed transactions only.
    public package(set) var appAccountToken: UUID? {
        get { storage.values.appAccountToken }
        set { update { $0.appAccountToken = newValue } }
    }

    /// The reference name of the offer code that was redeemed. Signed transactions only.
    package var offerCodeReferenceName: String? {
        get { storage.values.offerCodeReferenceName }
        set { update { $0.offerCodeReferenceName = newValue } }
    }

    /// Whether the transaction is one of several that share a period because each buys seats.
    package var sharesPeriod: Bool {
        get { storage.values.sharesPeriod }
        set { update { $0.sharesPeriod = newValue } }
    }

    /// The number of seats of the transaction that were revoked.
    package var revokedSeatQuantity: Int? {
        get { storage.values.revokedSeatQuantity }
        set { update { $0.revokedSeatQuantity = newValue } }
    }

    /// The refund, upgrade or end of Family Sharing that ended the purchase.
    package var revocation: Revocation? {
        get { storage.values.revocation }
        set { update { $0.revocation = newValue } }
    }

    /// Whether there is a ``revocation``.
    package var hasRevocation: Bool { storage.values.revocation != nil }

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
        storage = Storage(
            Values(
                productIdentifier: productIdentifier, transactionIdentifier: transactionIdentifier,
                originalTransactionIdentifier: originalTransactionIdentifier, purchaseDate: purchaseDate,
                originalPurchaseDate: originalPurchaseDate, expirationDate: expirationDate, productType: productType,
                quantity: quantity, isTrialPeriod: isTrialPeriod,
                isInIntroductoryOfferPeriod: isInIntroductoryOfferPeriod,
                promotionalOfferIdentifier: promotionalOfferIdentifier,
                webOrderLineItemIdentifier: webOrderLineItemIdentifier, revocation: revocation))
    }

    /// Changes values, in a copy if another purchase shares them.
    private mutating func update(_ change: (inout Values) -> Void) {
        if !isKnownUniquelyReferenced(&storage) { storage = Storage(storage.values) }
        change(&storage.values)
    }

    /// Purchases are equal if all of their values are.
    public static func == (left: Purchase, right: Purchase) -> Bool {
        left.isIdentical(to: right) || left.storage.values == right.storage.values
    }

    /// Hashes the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.values) }

    /// Whether one is a copy of the other that wasn't changed.
    func isIdentical(to other: Purchase) -> Bool { storage === other.storage }

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

    /// Returns the original transaction to report. Outside of Xcode, a transaction without one is its own original.
    func reportedOriginal(in environment: ReceiptEnvironment.Base) -> String? {
        environment == .xcode ? originalTransactionIdentifier : original
    }

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
