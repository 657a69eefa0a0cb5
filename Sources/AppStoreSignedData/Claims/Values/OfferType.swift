/// The kind of an offer.
public struct OfferType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// For new subscribers.
    public static let introductory = Self(rawValue: 1)
    /// For current and former subscribers.
    public static let promotional = Self(rawValue: 2)
    /// With an offer code.
    public static let code = Self(rawValue: 3)
    /// For winning back former subscribers.
    public static let winBack = Self(rawValue: 4)
}
