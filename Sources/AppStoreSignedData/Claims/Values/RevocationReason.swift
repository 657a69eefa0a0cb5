/// The reason for a revocation.
public struct RevocationReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// Another reason, such as an accidental purchase.
    public static let other = Self(rawValue: 0)
    /// The customer had an issue with the app.
    public static let issueWithApp = Self(rawValue: 1)
}
