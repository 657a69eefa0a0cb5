public import AppReceiptKit

/// A position in the history of a customer, from which a later request continues.
///
/// Store the cursor of the last page. A later request with it returns only what changed since. It is valid for the same
/// customer and the same filters.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerCursor: Sendable, Hashable, Codable, LosslessStringConvertible {
    /// The environment of the history.
    public let environment: AppStoreEnvironment
    /// The App Store's revision token.
    public let revision: String

    /// Creates a cursor from the App Store's revision token.
    public init(environment: AppStoreEnvironment, revision: String) {
        self.environment = environment
        self.revision = revision
    }

    /// Creates a cursor from its description; nil if it isn't one.
    public init?(_ description: String) {
        let parts = description.split(separator: ":", maxSplits: 1)
        guard parts.count == 2, let environment = AppStoreEnvironment(rawValue: String(parts[0])) else {
            return nil
        }
        self.init(environment: environment, revision: String(parts[1]))
    }

    /// The environment and the revision: `sandbox:1698148900000_…`.
    public var description: String { "\(environment.rawValue):\(revision)" }
}
