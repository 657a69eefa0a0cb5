public import AppReceiptKit

/// The claimed environment of signed data.
///
/// The same certificates sign production and sandbox data, so only this claim distinguishes them. Unknown values are
/// preserved and never treated as production.
public struct SignedDataEnvironment: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates an environment with any name, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// The sandbox, TestFlight included.
    public static let sandbox = Self(rawValue: "Sandbox")
    /// Xcode's local testing.
    public static let xcode = Self(rawValue: "Xcode")
    /// The unit tests of Apple's server libraries.
    public static let localTesting = Self(rawValue: "LocalTesting")

    /// The basic environment; nil if the value is unknown.
    public var base: AppStoreEnvironment? {
        switch self {
        case .production: .production
        case .sandbox: .sandbox
        case .xcode, .localTesting: .xcode
        default: nil
        }
    }

    /// The text in the data.
    public var description: String { rawValue }
}
