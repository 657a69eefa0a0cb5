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
