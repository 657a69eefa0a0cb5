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
    private let check: SharedRead<Void>
    /// The number of rows, counted at most every 15 seconds, because counting reads all of them.
    private let statistics: SharedRead<StoreStatistics>

    init(service: ReceiptService) {
        self.service = service
        let store = service.store
        check = SharedRead { () throws(StoreError) in try await store.check() }
        statistics = SharedRead(lifetime: .seconds(15)) { () throws(StoreError) in try await store.statistics() }
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

    /// Responds whether the server can serve requests: whether its database is available, without refunds of former
    /// roots.
    ///
    /// Identifiers of purchases aren't logged, and only clients with the server's token receive them.
    private func readiness(for request: Request, in context: ServerContext) async -> Response {
        do throws(StoreError) {
            // Orchestrators wait little longer for an answer.
            try await check.get(patience: .seconds(4))
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
            if !tokens.isEmpty, let access = try? authentication.access(of: request), access.apps == .anyBundle {
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

/// A read of the database that requests share while it runs, and its result for some time after it began.
@available(AppReceiptServer 1.0, *)
private actor SharedRead<Value: Sendable> {
    typealias Outcome = Result<Value, StoreError>

    private let lifetime: Duration
    private let read: @Sendable () async throws(StoreError) -> Value
    private var isRunning = false
    private var last: (read: Task<Outcome, Never>, start: ContinuousClock.Instant)?

    init(lifetime: Duration = .zero, _ read: @escaping @Sendable () async throws(StoreError) -> Value) {
        self.lifetime = lifetime
        self.read = read
    }

    /// Returns what the current or last read returns, or else that of a new one.
    ///
    /// - Throws: The error of the read; `locked` if it isn't complete after `patience`.
    func get(patience: Duration? = nil) async throws(StoreError) -> Value {
        let outcome = current()
        guard let patience else { return try await outcome.value.get() }
        let (outcomes, first) = AsyncStream.makeStream(of: Outcome.self, bufferingPolicy: .bufferingOldest(1))
        // Not a task group, which would wait for the read.
        Task { first.yield(await outcome.value) }
        let limit = Task {
            try await Task.sleep(for: patience)
            first.yield(.failure(.locked))
        }
        defer { limit.cancel() }
        for await outcome in outcomes { return try outcome.get() }
        throw .canceled
    }

    private func current() -> Task<Outcome, Never> {
        if let last, isRunning || ContinuousClock.now - last.start < lifetime { return last.read }
        isRunning = true
        let task = Task { () -> Outcome in
            defer { isRunning = false }
            do throws(StoreError) { return .success(try await read()) } catch { return .failure(error) }
        }
        last = (task, .now)
        return task
    }
}
#endif
