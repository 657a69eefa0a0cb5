public import AppReceiptFoundation
public import AppReceiptParsing
package import AppReceiptSupport

/// A customer's right to use one product at a date, with the reason and the next step.
///
/// There is one entitlement for each product. Consumables and non-renewing subscriptions have one for each transaction.
/// Entitlements are derived from verified evidence only. They don't include renewals and refunds after ``asOf``, which
/// only newer evidence shows.
///
/// An entitlement can be encoded but not decoded, because stored data proves nothing.
public struct Entitlement: Sendable, Hashable {
    /// The product's identifier.
    public let productIdentifier: String

    /// The environment of the evidence. Evidence of other environments has no effect.
    public let environment: AppStoreEnvironment

    /// The kind of product.
    public let kind: Kind

    /// Whether the customer may use the product at the date.
    ///
    /// False for consumables and non-renewing subscriptions: the evidence doesn't show whether they were consumed or
    /// have ended. False for a product whose type is stated but unknown, unless it has an expiration date.
    public let isActive: Bool

    /// The state at the date.
    public let state: State

    /// The start of uninterrupted access. Nil if the evidence doesn't contain it.
    public let since: Date?

    /// The end of the period or grace period, or the date of the revocation. Nil for ``State/owned``, and if the
    /// evidence doesn't contain it.
    public let until: Date?

    /// The date the newest evidence of this purchase was signed.
    public let asOf: Date

    /// The original transaction; nil if a receipt from Xcode doesn't contain it.
    public let originalTransactionIdentifier: String?

    /// The transaction that determines the state.
    public let transactionIdentifier: String?

    /// Whether the subscription will renew with this product; nil if that isn't known.
    ///
    /// False if the subscription will renew with another product, which ``renewsAs`` names, and for every state that is
    /// over.
    public let willRenew: Bool?

    /// The product of the next period; nil if the subscription doesn't renew, or if the evidence doesn't name it.
    public let renewsAs: String?

    /// The number of items or seats. After a refund of some items, the number that is left.
    public let quantity: Int

    /// The refunded part of the price in percent. Nil without a refund, and if the evidence doesn't contain it.
    public let refundedPercentage: Double?

    /// The way in which the customer obtained the product; nil if that isn't known.
    public let ownership: PurchaseOwnership?

    /// The commitment over several periods; nil without one.
    public let commitment: PurchaseCommitment?

    /// The items of an Advanced Commerce purchase; nil for other purchases.
    public let items: [Item]?

    /// The basis of the sentences beside the other properties.
    let basis: Basis

    /// An item of an Advanced Commerce purchase. Source: Apple, advancedCommerceInfo.
    public struct Item: Sendable, Hashable {
        /// The developer's identifier of the item.
        public let sku: String
        /// Whether the item isn't revoked. The state of the entitlement applies to all items.
        public let isActive: Bool
    }

    /// The kinds of products.
    public enum Kind: String, Sendable, Hashable, CaseIterable, Encodable {
        /// An auto-renewable subscription.
        case subscription
        /// A product that is bought once and kept.
        case nonConsumable
        /// A subscription without renewal. The evidence doesn't contain its duration.
        case nonRenewing
        /// A product that is used up.
        case consumable
        /// A free subscription, which has no end. They were sold until 2015.
        case freeSubscription
        /// A product of an unknown type, or whose type the evidence doesn't contain.
        case unknown

        /// Whether all purchases of a product result in one entitlement.
        package var hasOneEntitlement: Bool { self != .consumable && self != .nonRenewing }
    }

    /// The states of an entitlement.
    public enum State: String, Sendable, Hashable, CaseIterable, Encodable {
        /// Bought, and neither refunded nor revoked.
        case owned
        /// In a paid period or a free trial.
        case active
        /// In the billing grace period after a renewal that couldn't be paid. Known from renewal information only,
        /// never from a receipt.
        case gracePeriod
        /// Without access while the App Store retries the payment.
        case billingRetry
        /// The last known period ended, and the evidence doesn't show whether it was renewed.
        case renewalUnknown
        /// The subscription ended and wasn't renewed.
        case expired
        /// Replaced by another product of the same subscription.
        case upgraded
        /// Bought, but the first period begins later.
        case notStarted
        /// Refunded.
        case refunded
        /// Revoked, for example because Family Sharing or the assignment of a seat ended.
        case revoked
    }
}

extension Entitlement {
    /// Returns the refunded part of the price in percent.
    static func refundedPercentage(_ revocation: AppStoreTransaction.Revocation?) -> Double? {
        revocation?.refundedShare.map { Double($0) / 1000 }
    }

    /// Returns the items of a transaction at a date.
    static func items(of transaction: AppStoreTransaction, at date: Date) -> [Item]? {
        transaction.items?.map { item in Item(sku: item.sku, isActive: item.revocationDate.map { $0 > date } ?? true) }
    }

    /// Returns whether `other` represents the product rather than this entitlement, which is from another original
    /// transaction.
    ///
    /// An active entitlement ranks above an inactive one, and one that lasts longer above others. Of inactive
    /// entitlements, undecided ones rank highest, then those that have started, then the latest start.
    func isLess(than other: Entitlement) -> Bool {
        if rank != other.rank { return rank < other.rank }
        let ends = (accessEnd, other.accessEnd)
        if isActive, ends.0 != ends.1 { return ends.0 < ends.1 }
        let starts = (basis.start ?? .distantPast, other.basis.start ?? .distantPast)
        if starts.0 != starts.1 { return starts.0 < starts.1 }
        return (originalTransactionIdentifier ?? "", transactionIdentifier ?? "")
            < (other.originalTransactionIdentifier ?? "", other.transactionIdentifier ?? "")
    }

    /// The latest end of access without newer evidence: ``until``, or for a grace period without an end the longest one
    /// that the App Store grants.
    package var latestEnd: Date? {
        guard until == nil, state == .gracePeriod else { return until }
        return basis.end.map { $0 + Subscription.Period.Grace.maxSeconds }
    }

    /// The end of access, as far as it is known: a grace period without an end follows the period.
    private var accessEnd: Date { until ?? (state == .gracePeriod ? basis.end : nil) ?? .distantFuture }

    private var rank: Int {
        if isActive { return 3 }
        return switch state {
        case .billingRetry, .renewalUnknown: 2
        case .notStarted: 0
        default: 1
        }
    }
}

extension Entitlement: CustomStringConvertible {
    /// The product and its state, without anything about the customer.
    public var description: String { "Entitlement(\(productIdentifier): \(state.rawValue))" }
}

/// The members are named like the properties. Dates are RFC 3339 in UTC; absent values are null.
extension Entitlement: Encodable {
    /// Encodes every member, absent values as null.
    public func encode(to encoder: any Encoder) throws { try json.encode(to: encoder) }

    /// The members as a value.
    package var json: AppStoreJSON { AppStoreJSON { write(to: &$0) } }

    /// Writes the members in the order of the properties.
    package func write(to writer: inout JSONWriter) {
        writer.member("productIdentifier", productIdentifier)
        writer.member("environment", environment.rawValue)
        writer.member("kind", kind.rawValue)
        writer.member("isActive", isActive)
        writer.member("state", state.rawValue)
        writer.member("since", since)
        writer.member("until", until)
        writer.member("asOf", asOf)
        writer.member("reason", reason)
        writer.member("nextStep", nextStep)
        writer.member("originalTransactionIdentifier", originalTransactionIdentifier)
        writer.member("transactionIdentifier", transactionIdentifier)
        writer.member("willRenew", willRenew)
        writer.member("renewsAs", renewsAs)
        writer.member("quantity", number: quantity)
        writer.member("refundedPercentage", refundedPercentage.map { .number(Self.number($0)) } ?? .null)
        writer.member("ownership", ownership?.rawValue)
        writer.member("commitment", commitment?.json ?? .null)
        writer.member("items", itemsJSON)
    }
}

extension Entitlement {
    /// Returns a percentage without a needless fraction.
    static func number(_ percentage: Double) -> AppStoreJSON.Number {
        Int64(exactly: percentage).map { AppStoreJSON.Number($0) } ?? AppStoreJSON.Number(percentage)
    }

    private var itemsJSON: AppStoreJSON {
        guard let items else { return .null }
        return .array(items.map { ["sku": .string($0.sku), "isActive": .boolean($0.isActive)] })
    }
}

extension PurchaseCommitment {
    fileprivate var json: AppStoreJSON {
        [
            "period": period.map { .number(AppStoreJSON.Number($0)) } ?? .null,
            "periods": periods.map { .number(AppStoreJSON.Number($0)) } ?? .null, "until": .date(until),
        ]
    }
}

extension AppStoreTransaction {
    /// The kind of product.
    package var kind: Entitlement.Kind {
        if isSubscriptionPeriod { return .subscription }
        return switch productType {
        case .nonConsumable: .nonConsumable
        case .consumable: .consumable
        case .nonRenewingSubscription: .nonRenewing
        case .freeSubscription: .freeSubscription
        default: .unknown
        }
    }
}

extension AppStoreJSON {
    /// Returns the date in RFC 3339, or null.
    package static func date(_ date: Date?) -> AppStoreJSON { .text(date.map { ReceiptDate.string(from: $0) }) }
}

extension AppStoreTransaction {
    /// The refunded part of the price in percent, as in `Entitlement`; nil without a refund, and if the evidence
    /// doesn't contain it.
    package var refundedPercentage: AppStoreJSON.Number? {
        Entitlement.refundedPercentage(revocation).map { Entitlement.number($0) }
    }
}
