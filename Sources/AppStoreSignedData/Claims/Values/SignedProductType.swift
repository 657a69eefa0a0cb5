/// The type of a product.
public struct SignedProductType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// A subscription that the App Store renews.
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// A non-consumable.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// A consumable.
    public static let consumable = Self(rawValue: "Consumable")
    /// A subscription without renewal. The data doesn't contain its duration.
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}
