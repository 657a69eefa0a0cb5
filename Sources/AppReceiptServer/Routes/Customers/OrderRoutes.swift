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

/// What the App Store knows about an order number, which its mails to customers contain.
@available(AppReceiptServer 1.0, *)
struct OrderRoutes: Sendable {
    let service: ReceiptService

    func addRoutes(to group: RouterGroup<ServerContext>) {
        group.get("/orders/:order") { request, context in
            let options = try RequestOptions(of: request, named: ["bundle-id"])
            let order = try context.pathValue("order")
            let apps = try await apps(RequestedScopes(options), in: context)
            return try await service.admission.withoutBody {
                try await response(about: order, in: apps, to: context)
            }
        }
    }

    /// The purchases of an order, of any app that the client may see.
    ///
    /// - Throws: `order-unknown` if the App Store doesn't know the order as one of these apps.
    func purchases(
        in order: String, within scopes: RequestedScopes, for context: ServerContext
    ) async throws -> Set<ScopedOriginal> {
        try await purchases(in: order, of: apps(scopes, in: context), for: context)
    }

    /// The apps that are asked: the requested ones, those of the configuration, or those of the stored evidence.
    func apps(_ requested: RequestedScopes, in context: ServerContext) async throws -> [String] {
        try service.check(requested, in: context)
        if let apps = requested.apps { return apps.sorted() }
        let configured = service.configuration.bundleIdentifiers
        let known = configured.isEmpty ? Set(try await service.store.scopes().map(\.app)) : configured
        return known.filter { context.access.allows($0) }.sorted()
    }

    private func response(about order: String, in apps: [String], to context: ServerContext) async throws -> Response {
        let purchases = try await purchases(in: order, of: apps, for: context)
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

    /// Records the transactions of an order, and returns their purchases. The App Store sends mails for production
    /// only.
    ///
    /// - Throws: `order-unknown` if the App Store doesn't know the order as one of these apps,
    ///   `app-store-unconfigured` if none of the apps has a key; `app-store-failed` if no app has the order and the App
    ///   Store doesn't answer about one of them.
    private func purchases(
        in order: String, of apps: [String], for context: ServerContext
    ) async throws -> Set<ScopedOriginal> {
        guard let clients = service.clients else { throw APIError.appStoreUnconfigured }
        let asked = apps.filter { clients.hasKey(for: $0) }
        guard apps.isEmpty || !asked.isEmpty else { throw APIError.appStoreUnconfigured }
        // The App Store rejects the request about another text, which isn't a failure.
        guard order.utf8.allSatisfy(Self.isLetterOrDigit) else { throw APIError.orderUnknown }
        return try await clients.withinPatience(about: "order \(order)") {
            try await purchases(in: order, of: asked, by: clients, for: context)
        }
    }

    private func purchases(
        in order: String, of apps: [String], by clients: AppStoreClients, for context: ServerContext
    ) async throws -> Set<ScopedOriginal> {
        var purchases: Set<ScopedOriginal> = []
        var hasFailed = false
        for app in apps {
            guard let scope = AppScope(app: app, .production) else { continue }
            let found: AppStoreServerClient.OrderLookup
            do throws(AppStoreServerError) {
                found = try await clients.client(for: scope).order(order)
            } catch {
                context.logger.warning(
                    "The App Store doesn't answer about an order",
                    metadata: error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app)))
                hasFailed = true
                continue
            }
            guard !found.transactions.isEmpty else { continue }
            let evidence = CustomerEvidence(transactions: found.transactions)
            _ = try await service.store.record(evidence, account: nil, app: nil, from: .appStore)
            for original in evidence.originals {
                purchases.insert(ScopedOriginal(scope: scope, originalTransactionIdentifier: original))
            }
        }
        guard !purchases.isEmpty else { throw hasFailed ? APIError.appStoreFailed : .orderUnknown }
        return purchases
    }

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

    fileprivate static let appStoreUnconfigured = APIError(
        .notImplemented, .appStoreUnconfigured, "The server has no key for the App Store Server API.")

    fileprivate static let appStoreFailed = APIError(
        .badGateway, .appStoreFailed, "The App Store can't be reached, or rejects the request. Retry later.")
}
#endif
