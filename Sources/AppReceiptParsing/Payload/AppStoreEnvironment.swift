/// An environment of the App Store, without the distinction of volume purchases.
public enum AppStoreEnvironment: String, Sendable, Hashable, CaseIterable, Codable {
    /// The App Store.
    case production
    /// The sandbox, including TestFlight.
    case sandbox
    /// Xcode's local testing.
    case xcode
}
