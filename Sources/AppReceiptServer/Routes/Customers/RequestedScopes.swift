#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import HTTPTypes

/// The apps and environments that a request asks about: `bundle-id` and `environment`. Without them it asks about
/// everything that its token may see.
@available(AppReceiptServer 1.0, *)
struct RequestedScopes: Sendable {
    private let expectations: Expectations

    static let expectationOptions: [ExpectationOption] = [.bundleIdentifier, .environments]
    static let options = Set(expectationOptions.map(\.name))

    /// - Parameter options: The options of the request.
    init(_ options: RequestOptions) throws(APIError) {
        self.init(try options.expectations(Self.expectationOptions))
    }

    init(_ expectations: Expectations) { self.expectations = expectations }

    /// The requested apps; nil for any.
    var apps: Set<String>? { expectations.bundleIdentifier.set }

    /// The requested environments; nil for any.
    var environments: Set<AppStoreEnvironment>? { expectations.environments.set }

    /// The requested apps in any environment.
    fileprivate var anyEnvironment: Expectations {
        Expectations(bundleIdentifier: expectations.bundleIdentifier, environments: .anyEnvironment)
    }

    /// Returns whether the request asks about an app in an environment.
    func contain(_ scope: AppScope) -> Bool {
        let isApp = apps.map { $0.contains { ExactString($0) == ExactString(scope.app) } } ?? true
        return isApp && expectations.environments.values?.contains(scope.environment) ?? true
    }
}

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Checks that the requested apps are served, and that the client's token may see them.
    ///
    /// - Throws: `app-not-allowed` or `bundle-not-served`.
    func check(_ scopes: RequestedScopes, in context: ServerContext) throws(APIError) {
        try checkServed(scopes.anyEnvironment, for: context.access)
    }

    /// Returns the apps that a request asks about and its token may see; nil for every app.
    ///
    /// - Throws: As for ``check(_:in:)``.
    func apps(of scopes: RequestedScopes, in context: ServerContext) throws(APIError) -> Set<String>? {
        try check(scopes, in: context)
        return scopes.apps ?? context.access.apps.set
    }

    /// Returns the stored purchases with a transaction or original identifier, production before sandbox.
    ///
    /// - Throws: `app-not-allowed` or `bundle-not-served` for an app that the request names.
    func purchases(
        _ identifier: String, within scopes: RequestedScopes, in context: ServerContext
    ) async throws -> [ScopedOriginal] {
        try check(scopes, in: context)
        return try await tracing.span(.storeRead) { try await store.originals(of: identifier) }
            .filter { scopes.contain($0.scope) && context.access.allows($0.scope.app) }
            .sorted { ($0.scope.environment.rawValue, $0) < ($1.scope.environment.rawValue, $1) }
    }
}

extension APIError {
    static let purchaseUnknown = APIError(
        .notFound, .purchaseUnknown, "No purchase with this identifier is known. Send its receipt or token first.")
}
#endif
