import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport
@_exported public import AppStoreSignedData

/// Asks Apple's App Store Server API about purchases, and returns verified values.
///
/// ```swift
/// let key = try AppStoreServerKey(pem: pem, keyIdentifier: "2X9R4HXF34", issuerIdentifier: issuer)
/// let client = try AppStoreServerClient(
///     key: key, bundleIdentifier: "com.example.app", appAppleIdentifier: 1_234_567_890, transport: transport)
/// let customer = try await client.purchases(ofCustomer: transactionIdentifier)
/// print(customer.entitlements.isActive("com.example.pro"))
/// ```
///
/// Every signed member of a response is verified for the app and the environment of the request, before the caller sees
/// it. Members that Apple doesn't sign are in a value named `unverified`.
///
/// A member with another type than Apple documents, and a successful status with an error or with none of the
/// documented members, are errors (`response-unreadable`): an answer is never empty because it couldn't be read. A
/// `signedDate` in the future is accepted, as everywhere in this package: only Apple can sign it, and rejecting it
/// would make a clock that is slow a reason to lose purchases.
///
/// Requests with an identifier of a customer are sent to production first, and to the sandbox if production doesn't
/// know the identifier, or rejects the authorization, as it does for apps that were never approved. Failed requests are
/// repeated where that is useful and safe, and requests are delayed so that they stay below Apple's limits.
///
/// Create one client for each app and share it: copies share the authorization and the count of requests. All functions
/// throw ``AppStoreServerError``. A canceled task throws it with the code `canceled`.
@available(AppStoreServerAPI 1.0, *)
public struct AppStoreServerClient: Sendable {
    /// The app.
    public let bundleIdentifier: String
    /// The app's App Store identifier. Without it, app transactions and notifications of production are rejected;
    /// `.anyApp` accepts all.
    public var appAppleIdentifier: AcceptedValues<UInt64>?
    /// The environments to ask, in this order.
    public private(set) var environments: [AppStoreEnvironment]
    /// The settings.
    public let configuration: AppStoreServerConfiguration

    let transport: any AppStoreServerTransport
    let verifier: SignedDataVerifier
    let tokens: AuthorizationTokenCache
    let limiter: RateLimiter
    /// Learns of each attempt that failed and will be repeated, with the wait until then.
    private(set) var onRetry: @Sendable (AppStoreServerError, Duration) async -> Void = { _, _ in }
    private let production: BaseURL
    private let sandbox: BaseURL

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - key: The In-App Purchase key.
    ///   - bundleIdentifier: The app. App Store Connect must list it in the key's team.
    ///   - appAppleIdentifier: The app's App Store identifier, which app transactions and notifications of production
    ///     contain.
    ///   - environments: The environments to ask, in this order. Xcode's local testing has no server.
    ///   - transport: Sends the requests.
    ///   - verifier: Verifies the responses. Default: with Apple's roots.
    ///   - configuration: The settings.
    /// - Throws: An error with the code `configuration-invalid`, whose message names the value.
    public init(
        key: AppStoreServerKey, bundleIdentifier: String,
        appAppleIdentifier: UInt64? = nil,
        environments: [AppStoreEnvironment] = [.production, .sandbox], transport: any AppStoreServerTransport,
        verifier: SignedDataVerifier = SignedDataVerifier(), configuration: AppStoreServerConfiguration = .init()
    ) throws(AppStoreServerError) {
        try Self.validate(bundleIdentifier: bundleIdentifier, configuration: configuration)
        try Self.validate(environments)
        self.bundleIdentifier = bundleIdentifier
        self.appAppleIdentifier = appAppleIdentifier.map { [$0] }
        self.environments = environments
        self.configuration = configuration
        self.transport = transport
        self.verifier = verifier
        tokens = AuthorizationTokenCache(key: key, bundleIdentifier: bundleIdentifier)
        limiter = RateLimiter(share: configuration.rateLimitShare)
        production = try BaseURL(configuration.endpoints.production, for: .production)
        sandbox = try BaseURL(configuration.endpoints.sandbox, for: .sandbox)
    }

    /// Returns a client that sends requests to one environment only, for example that of a stored transaction.
    ///
    /// - Parameter environment: Production or sandbox.
    /// - Returns: A client that shares the authorization and the count of requests.
    /// - Throws: An error with the code `configuration-invalid` for Xcode's environment.
    public func restricted(to environment: AppStoreEnvironment) throws(AppStoreServerError) -> AppStoreServerClient {
        try Self.validate([environment])
        var client = self
        client.environments = [environment]
        return client
    }

    /// Returns a client that reports each attempt that failed and will be repeated, before it waits.
    ///
    /// - Parameter onRetry: Receives the failure and the wait until the next attempt.
    /// - Returns: A client that shares the authorization and the count of requests.
    package func reportingRetries(
        _ onRetry: @escaping @Sendable (AppStoreServerError, Duration) async -> Void
    ) -> AppStoreServerClient {
        var client = self
        client.onRetry = onRetry
        return client
    }

    func baseURL(for environment: AppStoreEnvironment) -> BaseURL {
        environment == .production ? production : sandbox
    }

    // MARK: Validation

    private static func validate(
        bundleIdentifier: String, configuration: AppStoreServerConfiguration
    ) throws(AppStoreServerError) {
        let rules: [(Bool, String)] = [
            (!bundleIdentifier.isEmpty, "The bundle identifier is empty."),
            (
                configuration.userAgent.utf8.allSatisfy { (0x20..<0x7F).contains($0) },
                "The user agent must be printable ASCII."
            ),
            (
                configuration.requestTimeout > .zero && configuration.callTimeout > .zero,
                "The time limits must be longer than zero."
            ),
            (configuration.maxResponseBytes > 0, "The maximum size of a response must be more than zero."),
            (configuration.maxPages > 0, "The maximum number of pages must be more than zero."),
            (configuration.retryPolicy.maxAttempts > 0, "The maximum number of attempts must be more than zero."),
            (
                configuration.rateLimitShare > 0 && configuration.rateLimitShare <= 1,
                "The share of Apple's limits must be more than 0 and at most 1."
            ),
        ]
        for (isMet, message) in rules where !isMet {
            throw AppStoreServerError(.configurationInvalid, message: message)
        }
    }

    private static func validate(_ environments: [AppStoreEnvironment]) throws(AppStoreServerError) {
        guard !environments.isEmpty, Set(environments).count == environments.count else {
            throw AppStoreServerError(
                .configurationInvalid, message: "The environments must be one or two different ones.")
        }
        guard !environments.contains(.xcode) else {
            throw AppStoreServerError(
                .configurationInvalid, message: "Xcode's local testing has no server. Use production or sandbox.")
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
extension AppStoreServerClient: CustomStringConvertible, CustomReflectable {
    /// The app and environments, without the key.
    public var description: String {
        "AppStoreServerClient(\(bundleIdentifier), \(environments.map(\.rawValue).joined(separator: ", ")))"
    }

    /// The app and environments, without the key and the authorization.
    public var customMirror: Mirror {
        Mirror(self, children: ["bundleIdentifier": bundleIdentifier, "environments": environments])
    }
}
