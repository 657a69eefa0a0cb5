#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging

/// The operations of the OpenIAP Commerce Protocol 1.0 over what the server knows about accounts.
@available(AppReceiptServer 1.0, *)
struct CommerceRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to router: Router<ServerContext>) {
        let routes = router.group(RouterPath(CommerceError.path))
        let capabilities = CommerceCapabilities(
            version: service.configuration.version, hasKey: service.clients != nil
        ).json
        routes.get("/capabilities") { _, _ in Response(json: capabilities) }
        func group(for permission: AccessToken.Role.Permission) -> RouterGroup<ServerContext> {
            routes.group()
                .add(middleware: Authentication(tokens: service.configuration.tokens, permission: permission))
        }
        let reading = group(for: .reading)
        reading.get("/subscriptions/status") { request, context in try await status(request, in: context) }
        reading.get("/entitlements") { request, context in try await entitlements(request, in: context) }
        group(for: .validation).post("/purchases/verify") { request, context in
            let expectations = try expectations(of: request, in: context)
            return try await withPurchase(of: request) { try await verify($0, expecting: expectations, in: context) }
        }
        let administration = group(for: .administration)
        administration.post("/purchases/bind") { request, context in
            let expectations = try expectations(of: request, in: context)
            return try await withPurchase(of: request) { try await bind($0, expecting: expectations, in: context) }
        }
        administration.post("/users/erase") { request, context in
            let parameters = request.uri.queryParameters.map { String($0.key) }
            return try await withInput(of: request) { input in
                // A client that names them expects the rest to be kept.
                for name in parameters + input.members.map(\.name) where Self.option(meantBy: name) != nil {
                    throw CommerceError.invalidRequest(
                        "Leave out '\(name.prefix(40))': a user is forgotten in every app.")
                }
                return try await erase(input, in: context)
            }
        }
    }

    /// Returns the apps and environments to which a request is restricted: our options `bundle-id` and `environment`.
    /// Other members of the query are ignored, as the protocol says, but not what is meant to be one of these options:
    /// the client would believe that its request is restricted.
    ///
    /// - Throws: `INVALID_REQUEST`, or `FORBIDDEN` for an app that the token may not see.
    private func expectations(of request: Request, in context: ServerContext) throws -> Expectations {
        for (name, _) in request.uri.queryParameters {
            guard let option = Self.option(meantBy: String(name)), option != name else { continue }
            throw CommerceError.invalidRequest("Write '\(option)' instead of '\(name.prefix(40))'.")
        }
        let expectations = try RequestOptions(of: request, named: RequestedScopes.options, ignoresOthers: true)
            .expectations(RequestedScopes.expectationOptions)
        try service.check(RequestedScopes(expectations), in: context)
        return expectations
    }

    /// Our option that begins with the same letters; nil for another name. The protocol's own names don't.
    private static func option(meantBy name: String) -> String? {
        let name = name.lowercased().unicodeScalars
        return RequestedScopes.options.first { name.starts(with: $0.unicodeScalars.prefix(3)) }
    }

    private func withInput(
        of request: Request, respond: @Sendable (AppStoreJSON.Object) async throws -> Response
    ) async throws -> Response {
        try await service.admission.withBody(of: request) { body in
            guard let input = (try? AppStoreJSON(parsing: body[...], depth: 8))?.object else {
                throw CommerceError.invalidRequest("The body must be a JSON object.")
            }
            return try await respond(input)
        }
    }

    /// Calls `respond` with a purchase, whose members aren't our options: they are in the query.
    private func withPurchase(
        of request: Request, respond: @Sendable (AppStoreJSON.Object) async throws -> Response
    ) async throws -> Response {
        try await withInput(of: request) { input in
            for name in (input.members + (input["apple"]?.object?.members ?? [])).map(\.name) {
                guard let option = Self.option(meantBy: name) else { continue }
                throw CommerceError.invalidRequest(
                    "Send '\(option)' in the query, not '\(name.prefix(40))' in the body.")
            }
            return try await respond(input)
        }
    }

    private static func user(_ text: String?) throws(CommerceError) -> String {
        guard let text, (1...256).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw .invalidRequest("'userId' must have 1 to 256 visible ASCII characters.")
        }
        return Accounts.canonicalName(text)
    }

    // MARK: Reading

    /// Returns the user, the apps and the environments that a request asks about.
    private func question(_ request: Request, in context: ServerContext) throws -> (user: String, RequestedScopes) {
        let user = try Self.user(request.uri.queryParameters["userId"].map { String($0) })
        return (user, RequestedScopes(try expectations(of: request, in: context)))
    }

    /// Returns the entitlements of a user, in the order of apps, environments and products.
    private func entitlements(
        of user: String, within scopes: RequestedScopes, in context: ServerContext
    ) async throws -> [Entitlement] {
        let purchases = try await service.tracing.span(.storeRead) { try await service.store.purchases(of: user) }
            .filter { scopes.contain($0.scope) && context.access.allows($0.scope.app) }
        let customer = try await CustomerEntitlements(
            of: purchases, in: service.history(for: context), now: Date())
        return customer.entitlements.flatMap(\.entitlements.all)
    }

    private func status(_ request: Request, in context: ServerContext) async throws -> Response {
        let (user, scopes) = try question(request, in: context)
        return try await service.admission.withoutBody {
            let subscriptions = try await entitlements(of: user, within: scopes, in: context)
                .filter { $0.kind == .subscription }
            let newest = subscriptions.max {
                ($0.isActive ? 1 : 0, $0.until ?? $0.asOf) < ($1.isActive ? 1 : 0, $1.until ?? $1.asOf)
            }
            var answer: AppStoreJSON.Object = ["active": .boolean(newest?.isActive ?? false)]
            if let newest { answer["subscription"] = CommerceSnapshot(newest).json }
            return Response(json: .object(answer))
        }
    }

    private func entitlements(_ request: Request, in context: ServerContext) async throws -> Response {
        let (user, scopes) = try question(request, in: context)
        return try await service.admission.withoutBody {
            let active = try await entitlements(of: user, within: scopes, in: context).filter(\.isActive)
            var known: Set<ExactString> = []
            let products = active.map(\.productIdentifier).filter { known.insert(ExactString($0)).inserted }
            return Response(json: [
                "userId": .string(user), "productIds": .array(products.map { .string($0) }),
                "subscriptions": .array(
                    active.filter { $0.kind == .subscription }.map { CommerceSnapshot($0).json }),
            ])
        }
    }

    // MARK: Purchases

    /// Returns the token in the input, without the line break at the end of its file.
    private static func token(_ input: AppStoreJSON.Object) throws(CommerceError) -> String {
        guard let store = input["store"]?.string else { throw .invalidRequest("'store' is missing.") }
        guard store == "apple" else { throw .unsupportedStore }
        guard let token = input["apple"]?.object?["jws"]?.string else {
            throw .invalidRequest("'apple.jws', the signed transaction, is missing.")
        }
        guard (1...16_384).contains(token.utf8.count) else {
            throw .invalidRequest("'apple.jws' must have 1 to 16384 characters.")
        }
        return String(decoding: Array(token.utf8)[...].trimmingWhitespace, as: UTF8.self)
    }

    private func verify(
        _ input: AppStoreJSON.Object, expecting expectations: Expectations, in context: ServerContext
    ) async throws -> Response {
        let submitted = try submitted(Self.token(input), expecting: expectations)
        // A token is of one app and environment.
        guard let (scope, evidence) = submitted.evidence.first, !evidence.transactions.isEmpty else {
            let code = Self.rejection(of: submitted)
            service.logRejection(code, in: context)
            return Response(json: [
                "store": "apple", "isValid": false, "state": "INAUTHENTIC", "rejection": .string(code),
            ])
        }
        _ = try await service.record(submitted, in: context)
        let purchases = evidence.originals.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }
        let customer = try await CustomerEntitlements(
            of: purchases, in: service.history(for: context), now: Date())
        let product = evidence.transactions.first?.claims.productIdentifier
        let exact = product.map { ExactString($0) }
        let entitlement = customer.entitlements.flatMap(\.entitlements.all)
            .first { ExactString($0.productIdentifier) == exact }
        let state = entitlement.map { Self.state($0) } ?? (isValid: false, name: "UNKNOWN")
        var answer: AppStoreJSON.Object = [
            "store": "apple", "isValid": .boolean(state.isValid), "state": .string(state.name),
            "environment": .string(scope.environment.rawValue),
        ]
        if let product { answer["productId"] = .string(product) }
        return Response(json: .object(answer))
    }

    private static func state(_ entitlement: Entitlement) -> (isValid: Bool, name: String) {
        switch (entitlement.state, entitlement.kind) {
        case (.owned, .consumable): (true, "READY_TO_CONSUME")
        case (.owned, _), (.active, _), (.gracePeriod, _): (true, "ENTITLED")
        case (.refunded, _), (.revoked, _): (false, "CANCELED")
        case (.notStarted, _): (false, "PENDING")
        case (.billingRetry, _), (.renewalUnknown, _), (.expired, _), (.upgraded, _): (false, "EXPIRED")
        }
    }

    private func submitted(
        _ token: String, expecting expectations: Expectations
    ) throws(APIError) -> SubmittedEvidence {
        // As a token, not as text that contains some.
        try SubmittedEvidence([(0, .token(token))], expecting: expectations, by: service, now: Date())
    }

    /// Returns the reason that a token isn't a purchase. Renewal information and notifications are evidence, but aren't
    /// purchases.
    private static func rejection(of submitted: SubmittedEvidence) -> String {
        let code = submitted.rejections.first?.code
        // Only renewal information doesn't name its app.
        guard let code, code != APIError.Code.appUnspecified.rawValue else {
            return APIError.Code.notAPurchase.rawValue
        }
        return code
    }

    /// Binds a purchase. It never moves one, and `false` hides why, so the log says it.
    private func bind(
        _ input: AppStoreJSON.Object, expecting expectations: Expectations, in context: ServerContext
    ) async throws -> Response {
        let user = try Self.user(input["userId"]?.string)
        let submitted = try submitted(Self.token(input), expecting: expectations)
        guard submitted.evidence.values.contains(where: { !$0.transactions.isEmpty }) else {
            service.logRejection(Self.rejection(of: submitted), in: context)
            return Response(json: ["bound": false])
        }
        var context = context
        context.account = user
        let isBound = try await service.record(submitted, in: context).replays.isEmpty
        if isBound {
            context.logAdministration("A purchase was bound to an account", purchases: submitted.purchases.count)
        } else {
            service.rejections.log(
                "A purchase wasn't bound: it is another account's",
                metadata: ["token": "\(context.access.token ?? "none")"],
                logger: context.logger)
        }
        return Response(json: ["bound": .boolean(isBound)])
    }

    private func erase(_ input: AppStoreJSON.Object, in context: ServerContext) async throws -> Response {
        let user = try Self.user(input["userId"]?.string)
        let forgotten = try await service.tracing.span(.storeWrite) {
            try await service.store.forget(user, in: context.access.apps.set)
        }
        if let forgotten {
            context.logAdministration("An account was forgotten", purchases: forgotten.count)
        }
        return Response(json: ["accepted": true, "status": "completed"], status: .accepted)
    }
}

/// A subscription as the protocol describes it.
struct CommerceSnapshot {
    private let entitlement: Entitlement

    init(_ entitlement: Entitlement) { self.entitlement = entitlement }

    var json: AppStoreJSON {
        var object: AppStoreJSON.Object = [
            "productId": .string(entitlement.productIdentifier), "state": .string(entitlement.state.commerceName),
            "active": .boolean(entitlement.isActive), "store": "apple",
        ]
        object["expiresAt"] = Self.number(entitlement.until)
        object["startedAt"] = Self.number(entitlement.since)
        object["updatedAt"] = Self.number(entitlement.asOf)
        if entitlement.isActive, entitlement.willRenew == true { object["renewsAt"] = Self.number(entitlement.until) }
        object["willRenew"] = entitlement.willRenew.map { .boolean($0) }
        return .object(object)
    }

    private static func number(_ date: Date?) -> AppStoreJSON? {
        date.flatMap(\.milliseconds).map { .number(AppStoreJSON.Number($0)) }
    }
}

extension Entitlement.State {
    /// The protocol's name of a subscription's state.
    var commerceName: String {
        switch self {
        case .active, .owned: "Active"
        case .gracePeriod: "InGracePeriod"
        case .billingRetry: "InBillingRetry"
        case .expired, .renewalUnknown, .upgraded: "Expired"
        case .refunded: "Refunded"
        case .revoked: "Revoked"
        case .notStarted: "Unknown"
        }
    }
}

/// The part of the protocol that the server implements.
struct CommerceCapabilities {
    let version: String
    /// Whether the App Store is asked.
    let hasKey: Bool

    private static let eventTypes = [
        "subscription.started", "subscription.renewed", "subscription.recovered", "subscription.entered_grace_period",
        "subscription.entered_billing_retry", "subscription.expired", "subscription.revoked", "subscription.refunded",
        "subscription.canceled", "subscription.uncanceled", "subscription.product_changed", "entitlement.granted",
        "entitlement.revoked",
    ]

    private static let axes = [
        "initialValidation", "serverNotifications", "subscriptions", "renewalEvents", "refundEvents", "expiration",
        "entitlements",
    ]

    var json: AppStoreJSON {
        var axes: AppStoreJSON.Object = [:]
        for name in Self.axes { axes[name] = ["provider": true, "implementation": true] }
        axes["reconciliation"] =
            hasKey
            ? ["provider": true, "implementation": true]
            : ["provider": true, "implementation": false, "notes": "The server has no key for the App Store."]
        axes["revenueAmount"] = [
            "provider": true, "implementation": false, "notes": "Amounts are in the claims of /v1/purchases.",
        ]
        return [
            "commerceProtocolVersion": "1.0", "specVersion": "1.0",
            "implementation": ["name": "AppReceiptKit", "version": .string(version)],
            "eventTypes": .array(Self.eventTypes.map { .string($0) }), "stores": ["apple": .object(axes)],
            "profiles": ["verification": "1.0", "entitlements": "1.0", "accountLifecycle": "1.0", "events": "1.0"],
            "bindings": ["rest": "1.0"],
        ]
    }
}
#endif
