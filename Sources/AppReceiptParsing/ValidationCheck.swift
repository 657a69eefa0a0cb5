/// A step of the validation of a receipt or of signed data.
///
/// An error names the check that failed, and a report contains a result for each check of its kind of data. The raw
/// value is stable. Other modules and releases add checks, so a `switch` over checks needs a default.
public struct ValidationCheck: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The stable name, such as `certificate-chain`.
    public let rawValue: String

    /// Creates a check with this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The form of the input is recognized. Reports list its errors under ``container``.
    public static let input = Self(rawValue: "input")
    /// The bytes are a well-formed container with one signer.
    public static let container = Self(rawValue: "container")
    /// The payload is well-formed: a receipt's attributes, or a token's claims of the requested kind.
    public static let payload = Self(rawValue: "payload")

    /// The checks of parsing, in order.
    package static let parsingChecks: [Self] = [.input, .container, .payload]

    /// The stable name.
    public var description: String { rawValue }
}
