/// The payment mode of an offer.
public struct OfferDiscountType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// Free.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// Paid each period.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// Paid once for several periods.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// Paid once.
    public static let oneTime = Self(rawValue: "ONE_TIME")
}
