#if Server
import AppReceiptKit

/// An app in one environment, the scope of transaction identifiers.
struct AppScope: Sendable, Hashable {
    let app: String
    let environment: String

    /// Creates a scope; nil if data in it isn't stored.
    ///
    /// Data from Xcode is unproven, and data without an app or a known environment can't be looked up.
    init?(app: String?, _ environment: AppStoreEnvironment?) {
        guard let app, app.isStorable, let environment, environment != .xcode else { return nil }
        self.app = app
        self.environment = environment.rawValue
    }

    /// The environment.
    var base: AppStoreEnvironment {
        environment == AppStoreEnvironment.production.rawValue ? .production : .sandbox
    }
}
#endif
