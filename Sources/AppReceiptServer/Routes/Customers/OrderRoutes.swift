#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging

/// The route of order numbers, which the App Store's mails to customers contain.
@available(AppReceiptServer 1.0, *)
struct OrderRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.get("/orders/:order") { request, context in
            let options = try RequestOptions(of: request, named: ["bundle-id"])
            let order = try context.pathValue("order")
            // Without a slot, which others need while this waits for the App Store.
            let purchases = try await purchases(in: order, within: RequestedScopes(options), for: context)
            return try await service.admission.withoutBody {
                try await response(about: order, with: purchases, to: context)
            }
        }
    }

    /// Looks an order up, records its transactions, and returns their purchases, of any app that the client may see.
    ///
    /// - Parameters:
    ///   - order: The order number.
    ///   - scopes: The apps of the request.
    ///   - context: The context of the request.
    /// - Throws: `order-unknown` if the App Store doesn't know the order as one of these apps,
    ///   `app-store-unconfigured` if none of the apps has a key, `environment-not-served` if none is served in
    ///   production; `app-store-failed` if no app has the order and the App Store doesn't answer about one of them in
    ///   time.
    func purchases(
        in order: String, within scopes: RequestedScopes, for context: ServerContext
    ) async throws -> Set<ScopedOriginal> {
        let apps = try await apps(scopes, in: context)
        guard let clients = service.clients else { throw APIError.appStoreUnconfigured() }
        let withKey = apps.filter { clients.hasKey(for: $0) }
        guard apps.isEmpty || !withKey.isEmpty else { throw APIError.appStoreUnconfigured(for: scopes.apps ?? []) }
        let asked = withKey.compactMap { app -> AppScope? in
            // The App Store sends mails for production only.
            guard service.configuration.environments(of: app).contains(.production) else { return nil }
            return AppScope(app: app, .production)
        }
        guard withKey.isEmpty || !asked.isEmpty else {
            throw APIError.badRequest(
                .environmentNotServed,
                "Only purchases in production have order numbers, and the app isn't served there.")
        }
        guard order.utf8.count <= Self.maxLength else {
            throw APIError.badRequest(
                .pathMalformed, "An order number has at most \(Self.maxLength) letters and digits.")
        }
        // The App Store rejects the request about another text, which isn't a failure.
        guard order.utf8.allSatisfy(Self.isLetterOrDigit) else { throw APIError.orderUnknown }
        return try await service.admission.withLookup {
            try await purchases(in: order, of: asked, by: clients, logger: context.logger)
        }
    }

    /// Returns the apps that a request is about: those it names, those of the configuration, or those of the stored
    /// evidence.
    func apps(_ requested: RequestedScopes, in context: ServerContext) async throws -> [String] {
        try service.check(requested, in: context)
        if let apps = requested.apps { return apps.sorted() }
        let configured = service.configuration.bundleIdentifiers
        let known = configured.isEmpty ? Set(try await service.store.scopes().map(\.app)) : configured
        return known.filter { context.access.allows($0) }.sorted()
    }

    private func response(
        about order: String, with purchases: Set<ScopedOriginal>, to context: ServerContext
    ) async throws -> Response {
        let history = service.history(for: context)
        let customer = try await CustomerEntitlements(of: Array(purchases), in: history, now: Date())
        var writer = JSONWriter()
        writer.openObject()
        writer.member("order", order)
        customer.writePurchases(to: &writer)
        customer.writeProducts(namesApp: true, to: &writer)
        customer.writeTransactions(to: &writer)
        writer.closeObject()
        return history.response(jsonBytes: writer.bytes)
    }

    /// Asks the App Store about an order of each app at the same time, and records its transactions.
    private func purchases(
        in order: String, of scopes: [AppScope], by clients: AppStoreClients, logger: Logger
    ) async throws -> Set<ScopedOriginal> {
        let answers = await withTaskGroup(of: (AppScope, Result<[VerifiedTransaction], APIError>).self) { group in
            for scope in scopes {
                group.addTask { (scope, await transactions(in: order, of: scope, by: clients, logger: logger)) }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        var purchases: Set<ScopedOriginal> = []
        var failure: APIError?
        for (scope, answer) in answers {
            switch answer {
            case .failure(let error): failure = error
            case .success(let transactions) where transactions.isEmpty: break
            case .success(let transactions):
                let evidence = CustomerEvidence(transactions: transactions)
                _ = try await service.tracing.span(.storeWrite) {
                    try await service.store.record(evidence, account: nil, app: nil, from: .appStore)
                }
                for original in evidence.originals {
                    purchases.insert(ScopedOriginal(scope: scope, originalTransactionIdentifier: original))
                }
            }
        }
        guard !purchases.isEmpty else { throw failure ?? .orderUnknown }
        return purchases
    }

    /// Returns the transactions of an order, or why the App Store doesn't answer.
    private func transactions(
        in order: String, of scope: AppScope, by clients: AppStoreClients, logger: Logger
    ) async -> Result<[VerifiedTransaction], APIError> {
        do {
            let transactions = try await clients.withinPatience(about: "order \(order)") {
                try await clients.client(for: scope).order(order).transactions
            }
            return .success(transactions)
        } catch let error as AppStoreServerError {
            logger.warning(
                "The App Store doesn't answer about an order",
                metadata: error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app)))
            return .failure(.appStoreFailed)
        } catch {
            return .failure(error as? APIError ?? .appStoreFailed)
        }
    }

    /// The length of the longest order number. Apple's have about ten characters.
    private static let maxLength = 64

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: false
        }
    }
}

extension APIError {
    fileprivate static let orderUnknown = APIError(
        .notFound, .orderUnknown, "The App Store doesn't know this order number as one of the app.")

    /// - Parameter apps: The apps that the request names; empty if it names none.
    fileprivate static func appStoreUnconfigured(for apps: Set<String> = []) -> APIError {
        let names = apps.isEmpty ? "" : " for \(apps.sorted().joined(separator: ", "))"
        return APIError(
            .notImplemented, .appStoreUnconfigured,
            "The server has no key for the App Store Server API\(names). The settings store-key, store-key-id and "
                + "store-issuer-id name one.")
    }

    fileprivate static let appStoreFailed = APIError(
        .badGateway, .appStoreFailed, "The App Store can't be reached, or rejects the request. Retry later.")
}
#endif
