#if Server
import AppReceiptKit
import AppReceiptStore
import AppStoreServerAPI
import AppStoreSignedData
import HTTPTypes
import Hummingbird
import Logging

/// Asks the App Store about an identifier that the server doesn't know, for no longer than responses wait.
@available(AppReceiptServer 1.0, *)
struct AppStoreLookup: Sendable {
    let service: ReceiptService
    /// The apps and environments.
    let scopes: RequestedScopes
    /// The context of the request.
    let context: ServerContext

    /// Returns the purchases of an identifier; nil if the App Store doesn't know it, or isn't asked.
    ///
    /// - Throws: `app-store-failed` if the App Store can't be asked, or doesn't answer in time.
    func purchases(of identifier: AppStoreIdentifier) async throws -> [ScopedOriginal]? {
        guard let clients = service.clients else { return nil }
        do {
            let found =
                switch identifier {
                case .order(let order):
                    try await OrderRoutes(service: service).purchases(in: order, within: scopes, for: context)
                case .transaction(let transaction):
                    try await service.admission.withLookup {
                        try await clients.withinPatience(about: "transaction \(transaction)") {
                            try await purchases(with: transaction, by: clients)
                        }
                    }
                }
            return found.isEmpty ? nil : found.sorted()
        } catch let error as APIError
            where [.orderUnknown, .appStoreUnconfigured, .environmentNotServed].contains(error.code)
        {
            return nil
        }
    }

    /// Records the transaction with an identifier, and returns its purchase; empty if the App Store doesn't know it.
    private func purchases(with identifier: String, by clients: AppStoreClients) async throws -> Set<ScopedOriginal> {
        var hasFailed = false
        for scope in try await askedScopes(by: clients) {
            let transaction: VerifiedTransaction
            do throws(AppStoreServerError) {
                transaction = try await clients.client(for: scope).transaction(identifier)
            } catch {
                if error.isNotFound || error.code == .invalidTransactionIdentifier { continue }
                context.logger.warning(
                    "The App Store doesn't answer about a transaction",
                    metadata: error.metadata(for: scope, key: clients.keyIdentifier(of: scope.app)))
                hasFailed = true
                continue
            }
            let evidence = CustomerEvidence(transactions: [transaction])
            _ = try await service.tracing.span(.storeWrite) {
                try await service.store.record(evidence, account: nil, app: nil, from: .appStore)
            }
            return Set(evidence.originals.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) })
        }
        guard !hasFailed else {
            throw APIError(
                .badGateway, .appStoreFailed, "The App Store can't be reached, or rejects the request. Retry later.")
        }
        return []
    }

    /// Returns the apps and environments that are asked, production first.
    private func askedScopes(by clients: AppStoreClients) async throws -> [AppScope] {
        try await OrderRoutes(service: service).apps(scopes, in: context).filter { clients.hasKey(for: $0) }
            .flatMap { app in
                service.configuration.environments(of: app).compactMap { AppScope(app: app, $0) }
            }
            .filter { scopes.contain($0) }
            .sorted { ($0.environment.rawValue, $0) < ($1.environment.rawValue, $1) }
    }
}

@available(AppReceiptServer 1.0, *)
extension AppStoreServerError.Code {
    /// The identifier isn't one of a transaction (4000006).
    fileprivate static let invalidTransactionIdentifier = Self(rawValue: "invalid-transaction-id")
}
#endif
