#if Server
import AppReceiptKit
import AppStoreSignedData

@available(AppReceiptServer 1.0, *)
extension ReceiptService {
    /// Restricts expectations to the apps and environments that the server serves.
    ///
    /// The app is the requested one, which must be served. If none is requested, it is the served app that the data
    /// claims to be for; if it claims another one, those that the client may see, so that the comparison fails.
    ///
    /// - Parameters:
    ///   - expectations: The request's expectations.
    ///   - access: The apps about which the client may ask.
    ///   - claimed: The app that the unverified data names.
    /// - Throws: `app-not-allowed`, `bundle-not-served` or `environment-not-served`.
    func restrict(
        _ expectations: inout Expectations, for access: Access = .everyApp, claimed: @autoclosure () -> String?
    ) throws(APIError) {
        try restrictApp(of: &expectations, for: access, claimed: claimed())
        try restrictEnvironments(of: &expectations)
    }

    /// Checks that a request's app and environments are served, by the app that it names or by any, and that the client
    /// may ask about the app.
    func checkServed(_ requested: Expectations, for access: Access = .everyApp) throws(APIError) {
        var expectations = requested
        if requested.bundleIdentifier != .anyBundle { try restrictApp(of: &expectations, for: access, claimed: nil) }
        try restrictEnvironments(of: &expectations)
    }

    /// Returns the expectations for signed data, within what the server serves.
    ///
    /// On a server of several apps, renewal information and realtime requests, which name no app, are for any app
    /// unless the request names one.
    ///
    /// - Parameters:
    ///   - token: The token, whose claimed app selects one of the served apps if the request names none; nil if none
    ///     could be read.
    ///   - requested: The app and environments of the request.
    ///   - access: The apps about which the client may ask.
    ///   - appAppleIdentifier: The request's `app-apple-id`.
    func expectations(
        for token: String?,
        requested: Expectations = Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment),
        by access: Access = .everyApp, appAppleIdentifier: UInt64? = nil
    ) throws(APIError) -> SignedDataExpectations {
        var expectations = requested
        let claims = token.flatMap { UnverifiedSignedData.Claims(ofToken: $0, limits: signedData.limits) }
        let namesNoApp =
            switch claims {
            case .renewalInfo, .realtimeRequest: true
            default: false
            }
        let isAnyAllowed = namesNoApp && configuration.bundleIdentifiers.count > 1
        if !isAnyAllowed || requested.bundleIdentifier != .anyBundle {
            try restrictApp(of: &expectations, for: access, claimed: claims?.bundleIdentifier)
        }
        try restrictEnvironments(of: &expectations)
        let app = configuration.app(named: expectations.bundleIdentifier.single)
        if let appAppleIdentifier, let own = app?.appAppleIdentifier, appAppleIdentifier != own {
            throw .badRequest(.bundleNotServed, "This server doesn't serve the app in 'app-apple-id'.")
        }
        let number = appAppleIdentifier ?? app?.appAppleIdentifier
        return SignedDataExpectations(
            bundleIdentifier: expectations.bundleIdentifier, environments: expectations.environments,
            appAppleIdentifier: number.map { [$0] } ?? .anyApp)
    }

    /// Returns whether the server is configured for an app, compared byte by byte.
    func isConfigured(for app: String) -> Bool {
        configuration.app(named: app) != nil
    }

    private func restrictApp(
        of expectations: inout Expectations, for access: Access, claimed: @autoclosure () -> String?
    ) throws(APIError) {
        let apps = configuration.apps.map(\.bundleIdentifier)
        if let requested = expectations.bundleIdentifier.values {
            try access.check(requested: requested)
            guard apps.isEmpty || requested.allSatisfy(isConfigured) else {
                let visible = apps.filter { access.allows($0) }.sorted().joined(separator: ", ")
                throw .badRequest(
                    .bundleNotServed,
                    "This server doesn't serve the app in 'bundle-id'."
                        + (visible.isEmpty ? "" : " It serves \(visible)."))
            }
        } else if apps.count > 1, let claimed = claimed(), isConfigured(for: claimed) {
            expectations.bundleIdentifier = [claimed]
        } else if !apps.isEmpty {
            expectations.bundleIdentifier = .only(apps.count == 1 ? apps : apps.filter { access.allows($0) })
        }
    }

    private func restrictEnvironments(of expectations: inout Expectations) throws(APIError) {
        let app = expectations.bundleIdentifier.single
        let environments = app == nil ? configuration.servedEnvironments : configuration.environments(of: app)
        guard let requested = expectations.environments.values else {
            expectations.environments = .only(environments)
            return
        }
        guard environments.isSuperset(of: requested) else {
            let served = environments.map(\.rawValue).sorted().joined(separator: ", ")
            throw .badRequest(.environmentNotServed, "This server serves only \(served).")
        }
    }
}
#endif
