/// The state of a subscription. Source: Apple, status.
public struct SubscriptionStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the notification.
    public let rawValue: Int64
    /// Creates a state with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// The subscription is active.
    public static let active = Self(rawValue: 1)
    /// The subscription expired.
    public static let expired = Self(rawValue: 2)
    /// The App Store retries billing; the customer doesn't have access.
    public static let billingRetry = Self(rawValue: 3)
    /// The App Store retries billing; the customer has access in the meantime.
    public static let billingGracePeriod = Self(rawValue: 4)
    /// The subscription was refunded, or family sharing ended.
    public static let revoked = Self(rawValue: 5)
}
