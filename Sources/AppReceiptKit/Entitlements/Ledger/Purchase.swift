public import AppReceiptParsing
import AppReceiptSupport

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
    public internal(set) var productIdentifier: String?

    /// The transaction's identifier. Renewals and restored copies have identifiers of their own.
    public internal(set) var transactionIdentifier: String?

    /// The identifier of the original transaction, shared by renewals and restored copies.
    public internal(set) var originalTransactionIdentifier: String?

    /// The date of the purchase or renewal.
    public internal(set) var purchaseDate: Date?

    /// The date of the original transaction. In some genuine receipts it is later than the purchase date.
    public internal(set) var originalPurchaseDate: Date?

    /// The date a subscription's period ends.
    public internal(set) var expirationDate: Date?

    /// The type of the product.
    public internal(set) var productType: InAppPurchase.ProductType?

    /// The number of items bought.
    public internal(set) var quantity: Int?

    /// Whether the period is a free trial.
    public internal(set) var isTrialPeriod: Bool?

    /// Whether the period is at an introductory price.
    public internal(set) var isInIntroductoryOfferPeriod: Bool?

    /// The promotional offer that was redeemed.
    public internal(set) var promotionalOfferIdentifier: String?

    /// The identifier of a subscription's purchase across devices.
    public internal(set) var webOrderLineItemIdentifier: UInt64?

    /// Whether the customer upgraded to another product of the group, which ended this period. Signed transactions only.
    public package(set) var isUpgraded: Bool?

    /// The date of the token that contains the upgrade. The upgrade happened earlier.
    var upgradeSignedDate: Date?

    /// How the customer obtained the product. Signed transactions only.
    public package(set) var ownership: PurchaseOwnership?

    /// The group of the subscription. Signed transactions only.
    public package(set) var subscriptionGroupIdentifier: String?

    /// The UUID with which the app associated the purchase with an account. Signed transactions only.
    public package(set) var appAccountToken: UUID?

    /// The reference name of the offer code that was redeemed. Signed transactions only.
    package var offerCodeReferenceName: String?

    /// Whether the App Store renewed the subscription with this transaction. Signed transactions only.
    package var isRenewal: Bool?

    /// Whether the newest token of the transaction was signed before the purchase date: the App Store renewed early.
    package var isSignedBeforeStart = false

    /// Whether a token lacks an offer, so that the flags of an introductory offer are false unless other evidence states them.
    package var hasNoOffer = false

    /// Whether the transaction is one of several that share a period because each buys seats.
    package var buysSeats = false

    /// The number of seats of the transaction that were revoked.
    package var revokedSeatQuantity: Int?

    /// The commitment over several periods.
    package var commitment: PurchaseCommitment?

    /// The items of an Advanced Commerce purchase.
    package var items: [Item]?

    /// The original transaction that this one replaced when the customer changed between a bundle and a single subscription.
    package var previousOriginalTransactionIdentifier: String?

    /// The refund, upgrade or revocation that ended the purchase.
    package var revocation: Revocation?

    /// Whether there is a ``revocation``.
    package var hasRevocation: Bool { revocation != nil }

    /// The date Apple refunded or revoked the purchase. In a receipt it may also be the date of an upgrade.
    public var cancellationDate: Date? { revocation?.date }

    /// A refund, an upgrade, or the end of an assignment or of Family Sharing.
    package struct Revocation: Sendable, Hashable {
        package let date: Date
        /// 1 for an issue with the app, 0 for another reason.
        package var reason: Int64?
        /// Apple's text for the kind of revocation.
        package var type: String?
        /// The refunded part of the price in thousandths of a percent.
        package var percentage: Int64?
        /// Whether only a receipt contains it, so that it may be an upgrade.
        var isFromReceiptAlone = false

        package init(
            _ date: Date, reason: Int64? = nil, type: String? = nil, percentage: Int64? = nil,
            isFromReceiptAlone: Bool = false
        ) {
            self.date = date
            self.reason = reason
            self.type = type
            self.percentage = percentage
            self.isFromReceiptAlone = isFromReceiptAlone
        }
    }

    /// An item of an Advanced Commerce purchase.
    package struct Item: Sendable, Hashable {
        package let sku: String
        package let revocationDate: Date?

        package init(sku: String, revocationDate: Date?) {
            self.sku = sku
            self.revocationDate = revocationDate
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
        self.productType = productType
        self.quantity = quantity
        self.isTrialPeriod = isTrialPeriod
        self.isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod
        self.promotionalOfferIdentifier = promotionalOfferIdentifier
        self.webOrderLineItemIdentifier = webOrderLineItemIdentifier
        self.revocation = revocation
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

    /// Returns the original transaction to report. Outside of Xcode, a transaction without one is its own original.
    func reportedOriginal(in environment: ReceiptEnvironment.Base) -> String? {
        environment == .xcode ? originalTransactionIdentifier : original
    }

    /// Whether the purchase is a period of an auto-renewable subscription, or has an expiration date without being one of the other known types.
    package var isSubscriptionPeriod: Bool {
        switch productType {
        case .autoRenewableSubscription: true
        case .nonConsumable, .consumable, .nonRenewingSubscription: false
        default: expirationDate != nil
        }
    }

    /// Whether the purchase is a copy that was restored after the end of its period.
    package var isRestoredAfterEnd: Bool {
        guard let purchaseDate, let expirationDate else { return false }
        return purchaseDate > expirationDate
    }

    /// Returns whether one purchase precedes another: by date, then by transaction identifier as a number, then by the remaining values,
    /// so that the order of arrival has no effect.
    static func isOlder(_ left: Purchase, than right: Purchase) -> Bool {
        let dates = (left.purchaseDate ?? .distantPast, right.purchaseDate ?? .distantPast)
        if dates.0 != dates.1 { return dates.0 < dates.1 }
        let identifiers = (left.transactionIdentifier ?? "", right.transactionIdentifier ?? "")
        let lengths = (identifiers.0.utf8.count, identifiers.1.utf8.count)
        if lengths.0 != lengths.1 { return lengths.0 < lengths.1 }
        if identifiers.0 != identifiers.1 { return identifiers.0 < identifiers.1 }
        if left == right { return false }
        return left.values.lexicographicallyPrecedes(right.values)
    }

    /// The values as text. Their order is arbitrary but the same everywhere.
    private var values: [String] {
        func text(_ value: (some Any)?) -> String { value.map { "=\($0)" } ?? "" }
        func text(_ date: Date?) -> String { text(date?.timeIntervalSince1970) }
        let dates: [String] = [
            text(originalPurchaseDate), text(expirationDate), text(revocation?.date), text(upgradeSignedDate),
        ]
        let numbers: [String] = [
            text(productType?.rawValue), text(quantity), text(revokedSeatQuantity), text(revocation?.reason),
            text(revocation?.percentage), text(webOrderLineItemIdentifier),
        ]
        let flags: [String] = [
            text(isTrialPeriod), text(isInIntroductoryOfferPeriod), text(isUpgraded), text(isRenewal),
            text(isSignedBeforeStart), text(hasNoOffer), text(buysSeats), text(revocation?.isFromReceiptAlone),
        ]
        let texts: [String] = [
            text(productIdentifier), text(originalTransactionIdentifier), text(promotionalOfferIdentifier),
            text(ownership?.rawValue), text(subscriptionGroupIdentifier), text(appAccountToken?.uuidString),
            text(offerCodeReferenceName), text(revocation?.type), text(previousOriginalTransactionIdentifier),
            text(commitment?.period), text(commitment?.periods), text(commitment?.until),
        ]
        return dates + numbers + flags + texts + (items ?? []).flatMap { [text($0.sku), text($0.revocationDate)] }
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
