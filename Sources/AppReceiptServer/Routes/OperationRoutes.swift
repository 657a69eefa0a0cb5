#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import Hummingbird
import Logging

/// Health, readiness, metrics and the OpenAPI document, for the operators of the server.
@available(AppReceiptServer 1.0, *)
struct OperationRoutes: Sendable {
    private let service: ReceiptService
    private let statistics: RecentStatistics
    private let check: SharedCheck

    init(service: ReceiptService) {
        self.service = service
        check = SharedCheck(service.store)
        statistics = RecentStatistics(service.store)
    }

    func addRoutes(to group: RouterGroup<ServerContext>) {
        let alive = Response(json: ["status": "alive"])
        group.get("/healthz") { _, _ in alive }
        group.get("/readyz") { request, context in await readiness(for: request, in: context) }
        let registry = service.metrics.prometheus
        if let registry { group.get("/metrics") { _, context in await metrics(registry, in: context) } }
        let document = OpenAPIDocument(service.configuration, servesMetrics: registry != nil)
        let description = Response(json: .object(document.json))
        group.get("/openapi.json") { _, _ in description }
    }

    /// Whether the server can serve requests: whether its database is available, without refunds of former roots.
    ///
    /// Identifiers of purchases aren't logged, and only clients with the server's token receive them.
    private func readiness(for request: Request, in context: ServerContext) async -> Response {
        do throws(StoreError) {
            try await check.get()
            service.databaseFailures.log(.check, logger: service.logger)
            return Response(json: ["status": "ready"])
        } catch {
            service.databaseFailures.log(error, isOfCheck: true, logger: context.logger)
            guard error == .untrustedRevocation else {
                return Response(json: ["status": "database-failed"], status: .serviceUnavailable)
            }
            var body: AppStoreJSON.Object = ["status": .string(error.code.rawValue)]
            let tokens = service.configuration.tokens
            let authentication = Authentication(tokens: tokens, permission: .administration)
            if !tokens.isEmpty, let access = try? authentication.access(of: request), access.apps == nil {
                // The check verified no more than these.
                let originals = service.store.untrustedOriginals.prefix(10).map(\.originalTransactionIdentifier)
                body["originalTransactionIdentifiers"] = .array(originals.map { .string($0) })
            }
            return Response(json: .object(body), status: .serviceUnavailable)
        }
    }

    private func metrics(_ registry: PrometheusRegistry, in context: ServerContext) async -> Response {
        service.metrics.recordClockBehind(at: Date())
        service.metrics.record(ProcessUse.current)
        do throws(StoreError) {
            service.metrics.record(try await statistics.get())
            if service.completion != nil {
                service.metrics.recordAppStoreQueue(try await service.store.pendingCompletions())
            }
        } catch {
            service.databaseFailures.log(error, logger: context.logger)
        }
        return Response(
            bytes: Array(registry.text().utf8), contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// The check of the database, which requests share while it runs.
@available(AppReceiptServer 1.0, *)
private actor SharedCheck {
    private let store: any EvidenceStore
    private var running: Task<Result<Void, StoreError>, Never>?

    /// Who asks for readiness waits little longer.
    private static let patience = Duration.seconds(4)

    init(_ store: any EvidenceStore) { self.store = store }

    /// Checks the database.
    ///
    /// - Throws: The error of the check; `locked` if it takes more than four seconds.
    func get() async throws(StoreError) {
        let check = running ?? begin()
        let (results, first) = AsyncStream.makeStream(
            of: Result<Void, StoreError>.self, bufferingPolicy: .bufferingOldest(1))
        // Not a task group, which would wait for the check.
        Task { first.yield(await check.value) }
        let limit = Task {
            try await Task.sleep(for: Self.patience)
            first.yield(.failure(.locked))
        }
        defer { limit.cancel() }
        for await result in results { return try result.get() }
        throw .canceled
    }

    private func begin() -> Task<Result<Void, StoreError>, Never> {
        let check = Task { () -> Result<Void, StoreError> in
            defer { running = nil }
            do throws(StoreError) { return .success(try await store.check()) } catch { return .failure(error) }
        }
        running = check
        return check
    }
}

/// The number of rows in the database, counted at most every 15 seconds, because counting reads all of them.
@available(AppReceiptServer 1.0, *)
private actor RecentStatistics {
    private let store: any EvidenceStore
    /// The last count, which may be in progress, and when it began.
    private var last: (count: Task<Result<StoreStatistics, StoreError>, Never>, start: ContinuousClock.Instant)?

    init(_ store: any EvidenceStore) { self.store = store }

    /// Returns the last statistics if they are recent, and counts again otherwise. Concurrent callers share a count.
    func get() async throws(StoreError) -> StoreStatistics {
        if let last, ContinuousClock.now - last.start < .seconds(15) { return try await last.count.value.get() }
        let store = store
        let count = Task { () -> Result<StoreStatistics, StoreError> in
            do throws(StoreError) {
                return .success(try await store.statistics())
            } catch {
                return .failure(error)
            }
        }
        last = (count, .now)
        return try await count.value.get()
    }
}
#endif
