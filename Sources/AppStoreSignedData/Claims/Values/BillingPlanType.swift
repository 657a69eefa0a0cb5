/// The billing plan of a subscription.
public struct BillingPlanType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// Billed in advance.
    public static let billedUpFront = Self(rawValue: "BILLED_UPFRONT")
    /// Billed monthly.
    public static let monthly = Self(rawValue: "MONTHLY")
}
