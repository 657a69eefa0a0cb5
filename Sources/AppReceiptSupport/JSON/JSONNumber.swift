/// A JSON number, as it was written.
public struct JSONNumber: Sendable, Hashable {
    /// The number's characters, such as `-12`, `1697679936056.485` or `1e3`.
    public let text: String

    init(text: String) { self.text = text }

    /// An integer.
    public init(_ value: some BinaryInteger) { text = String(value) }

    /// A number with a fraction. Infinity and NaN become 0, because JSON cannot represent them.
    public init(_ value: Double) { text = value.isFinite ? String(value) : "0" }

    /// The number as an integer, or nil if it has a decimal point or exponent, or doesn't fit.
    public var int64: Int64? { Int64(text) }

    /// The number as an unsigned integer, or nil if it is negative, has a decimal point or exponent, or doesn't fit.
    public var uint64: UInt64? { UInt64(text) }

    /// The nearest `Double`.
    public var double: Double { Double(text) ?? .nan }
}
