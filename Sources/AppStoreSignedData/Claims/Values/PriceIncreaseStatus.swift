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
