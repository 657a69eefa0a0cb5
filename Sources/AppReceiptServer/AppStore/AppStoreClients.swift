#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import HTTPTypes

/// The clients of the App Store Server API, one for each app.
@available(AppReceiptServer 1.0, *)
final class AppStoreClients: Sendable {
    private let configuration: AppStoreConfiguration
    private let verifier: SignedDataVerifier
    private let apps: [AppConfiguration]
    private let transport: any AppStoreServerTransport
    let tracing: ServerTracing
    private let clients = LockedValueBox(GenerationalCache<String, AppStoreServerClient>(capacity: 200))

    init(
        _ configuration: AppStoreConfiguration, verifier: SignedDataVerifier, apps: [AppConfiguration],
        tracing: ServerTracing = ServerTracing()
    ) {
        self.configuration = configuration
        self.verifier = verifier
        self.apps = apps
        self.tracing = tracing
        transport = tracing.traced(configuration.transport) { Self.operation(of: $0.url) }
    }

    /// Returns the path of a request up to its operation, such as `/inApps/v2/history`. What follows is an identifier.
    static func operation(of url: String) -> String {
        let components = url.prefix { $0 != "?" }.split(separator: "/")
        guard let start = components.firstIndex(of: "inApps") else { return "App Store" }
        return "/" + components[start...].prefix(3).joined(separator: "/")
    }

    private func key(of app: String) -> AppStoreServerKey? { apps.app(named: app)?.storeKey ?? configuration.key }

    /// Returns whether there is a key for an app.
    func hasKey(for app: String) -> Bool { key(of: app) != nil }

    /// Returns the identifier of the key of an app, for the log.
    func keyIdentifier(of app: String) -> String { key(of: app)?.keyIdentifier ?? "none" }

    /// Whether production and sandbox have the same address, so that the answers of one contain data of the other.
    var haveOneAddress: Bool {
        configuration.client.endpoints.production == configuration.client.endpoints.sandbox
    }

    /// Returns the result of requests, which are canceled when they take longer than responses wait.
    ///
    /// They take at most two seconds if responses don't wait at all, because without an answer there is no result.
    ///
    /// - Parameters:
    ///   - subject: What the requests are about, for the message.
    ///   - requests: The requests.
    /// - Throws: `app-store-failed` if the App Store doesn't answer in time, or the error of the requests.
    func withinPatience<Result: Sendable>(
        about subject: String, _ requests: @escaping @Sendable () async throws -> Result
    ) async throws -> Result {
        let clock = configuration.client.clock
        let patience = configuration.patience > .zero ? configuration.patience : .seconds(2)
        let result = try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await requests() }
            group.addTask {
                try await clock.sleep(patience)
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
        guard let result else {
            throw APIError(
                .badGateway, .appStoreFailed, "The App Store didn't answer about \(subject) in time. Retry later.")
        }
        return result
    }

    /// Returns the client for the requests about an app in one environment.
    ///
    /// - Throws: `configuration-invalid`.
    func client(for scope: AppScope) throws(AppStoreServerError) -> AppStoreServerClient {
        if let known = clients.withLock({ $0.value(for: scope.app) }) {
            return try known.restricted(to: scope.environment)
        }
        guard let key = key(of: scope.app) else {
            throw AppStoreServerError(.configurationInvalid, message: "There is no key for the app.")
        }
        let appAppleIdentifier = apps.app(named: scope.app)?.appAppleIdentifier
        var client = try AppStoreServerClient(
            key: key, bundleIdentifier: scope.app,
            appAppleIdentifier: appAppleIdentifier,
            transport: transport, verifier: verifier, configuration: configuration.client)
        if appAppleIdentifier == nil { client.appAppleIdentifier = .anyApp }
        clients.withLock { [client] in $0.insert(client, for: scope.app, cost: 1) }
        return try client.restricted(to: scope.environment)
    }
}
#endif
