/// The kind of a revocation.
public struct RevocationType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The full price was refunded.
    public static let fullRefund = Self(rawValue: "REFUND_FULL")
    /// A part of the price was refunded.
    public static let proratedRefund = Self(rawValue: "REFUND_PRORATED")
    /// Family sharing ended.
    public static let familyRevocation = Self(rawValue: "FAMILY_REVOKE")
    /// An organization's administrator revoked the seat or copy.
    public static let assignmentRevocation = Self(rawValue: "ASSIGNMENT_REVOKE")
}
