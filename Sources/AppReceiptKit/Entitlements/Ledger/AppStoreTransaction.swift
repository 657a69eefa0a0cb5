public import AppReceiptFoundation
public import AppReceiptParsing
import AppReceiptSupport

/// One transaction: a one-time purchase, or one period of a subscription.
///
/// The properties come from receipts and signed transactions. A property is nil if no source contains it: receipts lack
/// the properties marked "Signed transactions only", and Xcode's receipts also lack the original transaction and the
/// product type.
public struct AppStoreTransaction: Sendable, Hashable {
    /// The values, in a class: transactions are copied often, and they are large (budget: entitlements of 20,000
    /// purchases).
    private let storage: Storage

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
    public var expirationDate: Date? { storage.values.expirationDate }

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

    /// Whether the customer upgraded to another product of the group, which ended this period. Signed transactions
    /// only.
    public var isUpgraded: Bool? { storage.values.isUpgraded }

    /// The date of the token that contains the upgrade. The upgrade happened earlier.
    var upgradeSignedDate: Date? { storage.values.upgradeSignedDate }

    /// The way in which the customer obtained the product. Signed transactions only.
    public var ownership: PurchaseOwnership? { storage.values.ownership }

    /// The group of the subscription. Signed transactions only.
    public var subscriptionGroupIdentifier: String? { storage.values.subscriptionGroupIdentifier }

    /// The UUID with which the app associated the purchase with an account. Signed transactions only.
    public var appAccountToken: UUID? { storage.values.appAccountToken }

    /// The reference name of the offer code that was redeemed. Signed transactions only.
    package var offerCodeReferenceName: String? { storage.values.offerCodeReferenceName }

    /// Whether the App Store renewed the subscription with this transaction. Signed transactions only.
    package var isRenewal: Bool? { storage.values.isRenewal }

    /// The date the newest token of the transaction was signed if that is before the purchase date: the App Store
    /// renewed early.
    package var earlySignedDate: Date? { storage.values.earlySignedDate }

    /// Whether a token lacks an offer, so that the flags of an introductory offer are false unless other evidence
    /// states them.
    package var hasNoOffer: Bool { storage.values.hasNoOffer }

    /// Whether the transaction is one of several that share a period because each buys seats.
    package var buysSeats: Bool { storage.values.buysSeats }

    /// The number of seats of the transaction that were revoked.
    package var revokedSeatQuantity: Int? { storage.values.revokedSeatQuantity }

    /// The commitment over several periods.
    package var commitment: PurchaseCommitment? { storage.values.commitment }

    /// The items of an Advanced Commerce purchase.
    package var items: [Item]? { storage.values.items }

    /// The original transaction that this one replaced when the customer changed between a bundle and a single
    /// subscription.
    package var previousOriginalTransactionIdentifier: String? { storage.values.previousOriginalTransactionIdentifier }

    /// The refund, upgrade or revocation that ended the transaction.
    package var revocation: Revocation? { storage.values.revocation }

    /// Whether there is a ``revocation``.
    package var hasRevocation: Bool { storage.values.revocation != nil }

    /// The date Apple refunded or revoked the transaction. In a receipt it may also be the date of an upgrade.
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

    /// Creates a transaction; values that aren't set are unknown.
    package init(setting set: (inout Values) -> Void) {
        var values = Values()
        set(&values)
        self.init(values)
    }

    init(_ values: Values) { storage = Storage(values) }

    /// The values, to change a copy.
    var values: Values { storage.values }

    /// Returns a transaction with other values.
    package func with(_ change: (inout Values) -> Void) -> AppStoreTransaction {
        var values = values
        change(&values)
        return AppStoreTransaction(values)
    }

    /// Transactions are equal if all of their values are.
    public static func == (left: AppStoreTransaction, right: AppStoreTransaction) -> Bool {
        left.storage === right.storage || left.storage.values == right.storage.values
    }

    /// Hashes the values.
    public func hash(into hasher: inout Hasher) { hasher.combine(storage.values) }

    package init(_ purchase: InAppPurchase) {
        self.init {
            $0.productIdentifier = purchase.productIdentifier
            $0.transactionIdentifier = purchase.transactionIdentifier
            $0.originalTransactionIdentifier = purchase.originalTransactionIdentifier
            $0.purchaseDate = purchase.purchaseDate
            $0.originalPurchaseDate = purchase.originalPurchaseDate
            $0.expirationDate = purchase.expirationDate
            $0.revocation = purchase.cancellationDate.map { Revocation($0, isFromReceiptAlone: true) }
            $0.productType = purchase.productType
            $0.quantity = purchase.quantity
            $0.isTrialPeriod = purchase.isTrialPeriod
            $0.isInIntroductoryOfferPeriod = purchase.isInIntroductoryOfferPeriod
            $0.promotionalOfferIdentifier = purchase.promotionalOfferIdentifier
            $0.webOrderLineItemIdentifier = purchase.webOrderLineItemIdentifier
        }
    }
}

extension AppStoreTransaction {
    /// Returns the original transaction to report. Outside of Xcode, a transaction without one is its own original.
    func reportedOriginal(in environment: AppStoreEnvironment) -> String? {
        environment == .xcode ? originalTransactionIdentifier : original
    }

    /// Whether the transaction is a period of an auto-renewable subscription, or has an expiration date without being
    /// one of the other known types.
    package var isSubscriptionPeriod: Bool { storage.values.isSubscriptionPeriod }

    /// Whether the transaction is a copy that was restored after the end of its period.
    package var isRestoredAfterEnd: Bool {
        guard let purchaseDate, let expirationDate else { return false }
        return purchaseDate > expirationDate
    }

    /// Returns whether one transaction precedes another: by date, then by transaction identifier as a number, then by
    /// the remaining values, so that the order of arrival has no effect.
    static func isOlder(_ left: AppStoreTransaction, than right: AppStoreTransaction) -> Bool {
        let dates = (left.purchaseDate ?? .distantPast, right.purchaseDate ?? .distantPast)
        if dates.0 != dates.1 { return dates.0 < dates.1 }
        let identifiers = (left.transactionIdentifier ?? "", right.transactionIdentifier ?? "")
        let lengths = (identifiers.0.utf8.count, identifiers.1.utf8.count)
        if lengths.0 != lengths.1 { return lengths.0 < lengths.1 }
        if identifiers.0 != identifiers.1 { return identifiers.0 < identifiers.1 }
        if left == right { return false }
        return left.texts.lexicographicallyPrecedes(right.texts)
    }

    /// The values as text. Their order is arbitrary but the same everywhere.
    private var texts: [String] {
        func text(_ value: (some Any)?) -> String { value.map { "=\($0)" } ?? "" }
        func text(_ date: Date?) -> String { text(date?.timeIntervalSince1970) }
        let dates: [String] = [
            text(originalPurchaseDate), text(expirationDate), text(revocation?.date), text(upgradeSignedDate),
            text(earlySignedDate),
        ]
        let numbers: [String] = [
            text(productType?.rawValue), text(quantity), text(revokedSeatQuantity), text(revocation?.reason),
            text(revocation?.percentage), text(webOrderLineItemIdentifier),
        ]
        let flags: [String] = [
            text(isTrialPeriod), text(isInIntroductoryOfferPeriod), text(isUpgraded), text(isRenewal),
            text(hasNoOffer), text(buysSeats), text(revocation?.isFromReceiptAlone),
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

extension AppStoreTransaction: CustomStringConvertible {
    /// The product, without anything about the customer.
    public var description: String { "AppStoreTransaction(\(productIdentifier ?? "no product identifier"))" }
}

/// The way in which a customer obtained a purchase. Unknown values are kept.
public struct PurchaseOwnership: RawRepresentable, Sendable, Hashable {
    /// The value in the signed transaction.
    public let rawValue: String
    /// Creates a known or unknown value.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought it.
    public static let purchased = Self(rawValue: "PURCHASED")
    /// A family member bought it and shares it.
    public static let familyShared = Self(rawValue: "FAMILY_SHARED")
    /// An organization or group bought it and assigned a seat to the customer.
    public static let assigned = Self(rawValue: "ASSIGNED")
}

/// A commitment to pay for several periods. Source: Apple, commitmentInfo.
public struct PurchaseCommitment: Sendable, Hashable {
    /// The number of the current period, from 1.
    public let period: Int?
    /// The number of periods.
    public let periods: Int?
    /// The end of the commitment.
    public let until: Date?

    package init(period: Int?, periods: Int?, until: Date?) {
        self.period = period
        self.periods = periods
        self.until = until
    }
}
