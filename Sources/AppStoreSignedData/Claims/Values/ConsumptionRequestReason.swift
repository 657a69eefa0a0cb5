/// The customer's reason for requesting a refund.
public struct ConsumptionRequestReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The customer didn't intend to buy it.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// The customer didn't receive it, or it didn't work.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// The customer isn't satisfied.
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
}
