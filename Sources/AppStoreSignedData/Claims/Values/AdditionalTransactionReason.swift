/// A further reason for a transaction.
public struct AdditionalTransactionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The customer added seats to a subscription within a period.
    public static let seatAddition = Self(rawValue: "SEAT_ADDITION")
}
