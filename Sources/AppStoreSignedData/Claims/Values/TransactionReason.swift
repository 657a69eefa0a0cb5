/// The reason for a transaction.
public struct TransactionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The customer bought it.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// The App Store renewed it.
    public static let renewal = Self(rawValue: "RENEWAL")
}
