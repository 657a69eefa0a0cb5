public import AppReceiptParsing
package import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A customer's right to use one product at a date, with the reason and the next step.
///
/// There is one entitlement for each product. Consumables and non-renewing subscriptions have one for each transaction. Entitlements are derived
/// from verified evidence only. They don't include renewals and refunds after ``asOf``, which only newer evidence shows.
///
/// An entitlement can be encoded but not decoded, because stored data proves nothing.
public struct Entitlement: Sendable, Hashable {
    /// The product's identifier.
    public let productIdentifier: String

    /// The environment of the evidence. Evidence of other environments has no effect.
    public let environment: ReceiptEnvironment.Base

    /// The kind of product.
    public let kind: Kind

    /// The state at the date.
    public let state: State

    /// The start of uninterrupted access.
    public let since: Date?

    /// The end of the period or grace period, or the date of the revocation. Nil for ``State/owned``, and if the evidence doesn't contain it.
    public let until: Date?

    /// StoreKit's name for ``until``, which is also the end of a grace period and the date of a refund.
    @available(*, unavailable, renamed: "until")
    public var expirationDate: Date? { until }

    /// The date the newest evidence of this purchase was signed.
    public let asOf: Date

    /// The reason for the state, in one sentence.
    public let reason: String

    /// What the app should do, in one sentence; nil if no action is necessary.
    public let nextStep: String?

    /// The original transaction; nil if a receipt from Xcode doesn't contain it.
    public let originalTransactionIdentifier: String?

    /// The transaction that determines the state.
    public let transactionIdentifier: String?

    /// Whether the subscription will renew; nil if that isn't known.
    public let willRenew: Bool?

    /// The number of items or seats.
    public let quantity: Int

    /// How the customer obtained the product; nil if that isn't known.
    public let ownership: PurchaseOwnership?

    /// Whether the customer may use the product at the date.
    ///
    /// False for consumables and non-renewing subscriptions: the evidence doesn't show whether they were consumed or have ended.
    public var isActive: Bool { Self.isActive(kind, state) }

    static func isActive(_ kind: Kind, _ state: State) -> Bool {
        switch state {
        case .active, .gracePeriod: true
        case .owned: kind == .nonConsumable || kind == .unknown
        default: false
        }
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
        /// A product of an unknown type, or whose type the evidence doesn't contain.
        case unknown
    }

    /// The states of an entitlement.
    public enum State: String, Sendable, Hashable, CaseIterable, Encodable {
        /// Bought, and neither refunded nor revoked.
        case owned
        /// In a paid period or a free trial.
        case active
        /// In the billing grace period after a renewal that couldn't be paid. Known from renewal information only, never from a receipt.
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
        /// Revoked because Family Sharing ended.
        case revoked

        /// StoreKit's name for ``active``.
        @available(*, unavailable, renamed: "active")
        public static var subscribed: State { .active }

        /// StoreKit's name for ``gracePeriod``.
        @available(*, unavailable, renamed: "gracePeriod")
        public static var inGracePeriod: State { .gracePeriod }

        /// StoreKit's name for ``billingRetry``.
        @available(*, unavailable, renamed: "billingRetry")
        public static var inBillingRetryPeriod: State { .billingRetry }
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
    package var json: JSONValue { JSONValue { write(to: &$0) } }

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
        writer.member("quantity", number: quantity)
        writer.member("ownership", ownership?.rawValue)
    }
}
