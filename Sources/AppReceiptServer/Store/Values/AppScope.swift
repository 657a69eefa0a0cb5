#if Server
import AppReceiptFoundation
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

/// An original transaction of an app in one environment.
struct ScopedOriginal: Sendable, Hashable {
    let scope: AppScope
    let originalTransactionIdentifier: String
}

extension String {
    /// Whether SQLite stores the whole string. It would truncate a string at a zero byte.
    var isStorable: Bool { !utf8.contains(0) }
}

extension Date {
    /// Milliseconds since 1970, as in the database; nil if the date is out of range.
    var milliseconds: Int64? { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) }
}
#endif
