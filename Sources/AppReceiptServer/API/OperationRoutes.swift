#if Server
import AppReceiptKit
import CoreMetrics
import HTTPTypes
import Hummingbird
import Logging

/// What whoever runs the server looks at.
@available(AppReceiptServer 1.0, *)
struct OperationRoutes: Sendable {
    let core: ServerCore
    private let statistics: RecentStatistics

    init(core: ServerCore) {
        self.core = core
        statistics = RecentStatistics(core.store)
    }

    var endpoints: [Endpoint] {
        [
            .get("/healthz") { _, _ in Response(json: ["status": "alive"]) },
            .get("/readyz") { _, context in try await ready(context) },
            .get("/metrics") { _, context in await metrics(context) },
            .get("/openapi.json") { _, _ in
                Response(jsonBytes: OpenAPIDocument(configuration: core.configuration).json.text())
            },
        ]
    }

    /// Whether requests should come here: the database answers.
    private func ready(_ context: ServerContext) async throws -> Response {
        do throws(StoreError) {
            try await core.store.check()
            return Response(json: ["status": "ready"])
        } catch {
            context.logger.error("The database failed", metadata: ["error": "\(error)"])
            return Response(json: ["status": "database-failed"], status: .serviceUnavailable)
        }
    }

    private func metrics(_ context: ServerContext) async -> Response {
        do throws(StoreError) {
            let statistics = try await statistics.get()
            for (what, count) in [
                ("transactions", statistics.transactions), ("renewals", statistics.renewals),
                ("notifications", statistics.notifications), ("receipts", statistics.receipts),
                ("passed-over", statistics.skippedRows), ("pending-writes", statistics.pendingWrites),
            ] {
                Gauge(label: "appreceipt_state", dimensions: [("what", what)], factory: core.metrics.registry)
                    .record(count)
            }
        } catch {
            context.logger.error("The database failed", metadata: ["error": "\(error)"])
        }
        return Response(
            bytes: Array(core.metrics.registry.text().utf8),
            contentType: "text/plain; version=0.0.4; charset=utf-8")
    }
}

/// What the database holds, counted at most four times a minute: counting reads all of it.
@available(AppReceiptServer 1.0, *)
private actor RecentStatistics {
    private let store: TransactionStore
    /// What is being counted, or was last, and when that began.
    private var last: (counting: Task<Result<StoreStatistics, StoreError>, Never>, start: ContinuousClock.Instant)?

    init(_ store: TransactionStore) { self.store = store }

    func get() async throws(StoreError) -> StoreStatistics {
        if let last, ContinuousClock.now - last.start < .seconds(15) { return try await last.counting.value.get() }
        let store = store
        let counting = Task { () -> Result<StoreStatistics, StoreError> in
            do throws(StoreError) {
                return .success(try await store.statistics())
            } catch {
                return .failure(error)
            }
        }
        last = (counting, .now)
        return try await counting.value.get()
    }
}
#endif
