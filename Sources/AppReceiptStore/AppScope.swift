#if Server
package import AppReceiptKit

/// An app in one environment, the scope of transaction identifiers.
package struct AppScope: Sendable, Hashable {
    /// The bundle identifier.
    package let app: String
    /// Production or sandbox.
    package let environment: AppStoreEnvironment

    /// Creates a scope; nil if data in it isn't stored.
    ///
    /// Data from Xcode is unproven, and data without an app or a known environment can't be looked up.
    package init?(app: String?, _ environment: AppStoreEnvironment?) {
        guard let app, app.isStorable, let environment, environment != .xcode else { return nil }
        self.app = app
        self.environment = environment
    }
}

extension AppScope: Comparable {
    /// Orders by app; production is before sandbox.
    package static func < (left: AppScope, right: AppScope) -> Bool {
        (left.app, left.environment.rawValue) < (right.app, right.environment.rawValue)
    }
}

extension String {
    /// Whether databases store the whole string. They truncate a string at a zero byte, or reject it.
    package var isStorable: Bool { !utf8.contains(0) }
}
#endif
