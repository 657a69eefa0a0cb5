/// The environment that issued a receipt (attribute 0).
///
/// Production and sandbox receipts are signed with the same certificates, so only this attribute distinguishes them.
/// Unknown values are preserved. Their ``base`` is nil, so they are never treated as production.
public struct ReceiptEnvironment: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text in the receipt.
    public let rawValue: String

    /// Creates an environment from its text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// The sandbox, TestFlight included.
    public static let productionSandbox = Self(rawValue: "ProductionSandbox")
    /// The App Store, for an app purchased in volume by an organization.
    public static let productionVPP = Self(rawValue: "ProductionVPP")
    /// The sandbox, simulating a volume purchase.
    public static let productionVPPSandbox = Self(rawValue: "ProductionVPPSandbox")
    /// Xcode's local testing, signed with a key that ships with Xcode.
    public static let xcode = Self(rawValue: "Xcode")

    /// Production, sandbox or Xcode, or nil if the value is unknown.
    public var base: AppStoreEnvironment? {
        switch self {
        case .production, .productionVPP: .production
        case .productionSandbox, .productionVPPSandbox, Self(rawValue: "Sandbox"): .sandbox
        case .xcode: .xcode
        default: nil
        }
    }

    /// Whether the app was purchased in volume.
    public var isVolumePurchase: Bool { self == .productionVPP || self == .productionVPPSandbox }

    /// The text in the receipt.
    public var description: String { rawValue }
}
