#if Server
public import AppReceiptKit
import AppReceiptSupport
public import AppStoreServerAPI
public import VerifyReceipt

/// An app that a server serves, and what is particular about it.
@available(AppReceiptServer 1.0, *)
public struct AppConfiguration: Sendable {
    /// The bundle identifier. Requests are matched by the one that a verified receipt or token contains.
    public var bundleIdentifier: String
    /// The app's identifier in the App Store, which notifications and app transactions of production contain. Default:
    /// not compared.
    public var appAppleIdentifier: UInt64?
    /// The environments in which the app is served. Default: nil, those of the server.
    public var environments: Set<AppStoreEnvironment>?
    /// The secrets of which the `password` of a verifyReceipt request about the app must be one. Default: none, which
    /// leaves the server's.
    public var sharedSecrets: [SharedSecret] = []
    /// The In-App Purchase key of the app's team. Default: the server's.
    public var storeKey: AppStoreServerKey?

    /// The names of products by their identifiers, for the web inspector and its sentences. Default: none, so that
    /// the sentences say what kind of product it is.
    public var productNames: [String: String] = [:]

    /// The receivers of the app's events. Default: none.
    public var webhooks: [WebhookConfiguration] = []

    /// Whether a webhook forwards the app's notifications.
    var forwardsNotifications: Bool { webhooks.contains(where: \.forwardsNotifications) }

    /// Creates the configuration of an app.
    public init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }
}

@available(AppReceiptServer 1.0, *)
extension Sequence<AppConfiguration> {
    /// Returns the configuration of an app, compared byte by byte; nil if it has none.
    package func app(named bundleIdentifier: String) -> AppConfiguration? {
        first { ExactString($0.bundleIdentifier) == ExactString(bundleIdentifier) }
    }
}
#endif
