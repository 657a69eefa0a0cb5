/// Where a receipt says that it comes from (attribute 0).
///
/// The same certificates sign production and sandbox receipts, so this attribute alone tells them apart. Values that
/// are not known are kept; they count as no environment at all, never as production.
public struct ReceiptEnvironment: RawRepresentable, Sendable, Hashable, Codable, CustomStringConvertible {
    /// The text in the receipt.
    public let rawValue: String

    /// The environment of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The App Store.
    public static let production = Self(rawValue: "Production")
    /// The sandbox, TestFlight included.
    public static let productionSandbox = Self(rawValue: "ProductionSandbox")
    /// The App Store, bought in volume by an organization.
    public static let productionVPP = Self(rawValue: "ProductionVPP")
    /// The sandbox, simulating a volume purchase.
    public static let productionVPPSandbox = Self(rawValue: "ProductionVPPSandbox")
    /// Xcode's local testing, signed with a key that ships with Xcode.
    public static let xcode = Self(rawValue: "Xcode")

    /// What an environment comes down to.
    public enum Base: String, Sendable, Hashable, CaseIterable, Codable {
        case production
        case sandbox
        case xcode
    }

    /// Production, sandbox or Xcode; nil if the value is not known.
    public var base: Base? {
        switch self {
        case .production, .productionVPP: .production
        case .productionSandbox, .productionVPPSandbox, Self(rawValue: "Sandbox"): .sandbox
        case .xcode: .xcode
        default: nil
        }
    }

    /// Whether the app was bought in volume.
    public var isVolumePurchase: Bool { self == .productionVPP || self == .productionVPPSandbox }

    /// The text in the receipt.
    public var description: String { rawValue }
}
