/// Whether a subscription will renew.
public struct AutoRenewStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// The customer turned off renewal.
    public static let off = Self(rawValue: 0)
    /// It will renew.
    public static let on = Self(rawValue: 1)
}

/// The reason for an expiration.
public struct ExpirationIntent: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// The customer canceled it.
    public static let canceled = Self(rawValue: 1)
    /// Billing failed.
    public static let billingError = Self(rawValue: 2)
    /// The customer didn't consent to a higher price.
    public static let priceIncreaseNotAccepted = Self(rawValue: 3)
    /// The product wasn't available at the time of renewal.
    public static let productNotAvailable = Self(rawValue: 4)
    /// Another reason.
    public static let other = Self(rawValue: 5)
}

/// Whether the customer consented to a higher price.
public struct PriceIncreaseStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// Not yet.
    public static let notResponded = Self(rawValue: 0)
    /// Yes, or consent wasn't required.
    public static let consented = Self(rawValue: 1)
}
