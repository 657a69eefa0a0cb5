#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import CoreMetrics
import Hummingbird
import Logging
import TestSupport
import Testing

@testable import AppReceiptServer

@Suite("ServerMetrics")
struct ServerMetricsTests {
    /// A backend that isn't Prometheus.
    private final class OtherFactory: MetricsFactory {
        let registry = PrometheusRegistry()

        func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
            registry.makeCounter(label: label, dimensions: dimensions)
        }
        func makeRecorder(label: String, dimensions: [(String, String)], aggregate: Bool) -> any RecorderHandler {
            registry.makeRecorder(label: label, dimensions: dimensions, aggregate: aggregate)
        }
        func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
            registry.makeTimer(label: label, dimensions: dimensions)
        }
        func destroyCounter(_ handler: any CounterHandler) {}
        func destroyRecorder(_ handler: any RecorderHandler) {}
        func destroyTimer(_ handler: any TimerHandler) {}
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A server with another metrics backend records in it, and has no /metrics")
    func otherFactory() async throws {
        let factory = OtherFactory()
        let server = try ReceiptServer(ServerConfiguration(), logger: CapturedLog().logger, metrics: factory)
        let paths = server.service.makeRouter().routes.map(\.path.description)
        #expect(!paths.contains("/metrics"))
        #expect(server.service.metrics.prometheus == nil)
        let document = OpenAPIDocument(server.configuration, servesMetrics: false)
        // The page's scripts and styles aren't part of the interface.
        #expect(
            Set(document.json["paths"]?.object?.members.map(\.name) ?? [])
                == Set(paths.filter { !$0.hasPrefix("/inspector/") }))
        #expect(factory.registry.text().contains(#"appreceipt_overload_total{reason="database"} 0"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The number of rows in the database is recorded for backends that don't call /metrics")
    func stateRecorder() async throws {
        let factory = OtherFactory()
        let service = try ReceiptService(
            ServerConfiguration(), metrics: ServerMetrics(factory), logger: Logger(label: "test"))
        let recorder = StateRecorder(
            store: service.store, metrics: service.metrics, databaseFailures: service.databaseFailures,
            logger: CapturedLog().logger)
        let running = Task { try await recorder.run() }
        await waitUntil { factory.registry.text().contains(#"appreceipt_state{what="transactions"} 0"#) }
        running.cancel()
        try await running.value
        try await service.store.close()
    }

    @Test("Reasons, phases, outcomes and codes are 0 before the first event")
    func zero() {
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        metrics.countOverload(of: .memory)
        let lines = Set(registry.text().split(separator: "\n").map(String.init))
        for (reason, count) in [("connections", 0), ("requests", 0), ("waiting", 0), ("memory", 1), ("database", 0)] {
            #expect(lines.contains(#"appreceipt_overload_total{reason="\#(reason)"} \#(count)"#))
        }
        for phase in ["head", "body", "response"] {
            #expect(lines.contains(#"appreceipt_exceeded_deadlines_total{phase="\#(phase)"} 0"#))
        }
        #expect(lines.contains("# HELP appreceipt_connections Connections that are being served."))
        for outcome in ["new", "unknown", "repeated", "rejected", "not-stored"] {
            #expect(lines.contains(#"appreceipt_notifications_total{outcome="\#(outcome)"} 0"#))
        }
        for outcome in ["complete", "unauthenticated", "app-not-found", "verification-failed", "unreachable"] {
            #expect(lines.contains(#"appreceipt_app_store_requests_total{outcome="\#(outcome)"} 0"#))
        }
        #expect(lines.contains("appreceipt_caught_up_rejected_total 0"))
        #expect(lines.contains(#"appreceipt_database_failures_total{code="full"} 0"#))
    }

    @Test("Valid receipts are 0 before the first one, and counted like other results")
    func results() {
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        func lines() -> Set<String> { Set(registry.text().split(separator: "\n").map(String.init)) }
        #expect(lines().contains(#"appreceipt_verify_receipt_responses_total{code="valid",status="0"} 0"#))
        #expect(lines().contains(#"appreceipt_verdicts_total{code="valid",kind="receipt"} 0"#))
        metrics.countVerifyReceiptResponse(status: 0, code: nil)
        metrics.countVerifyReceiptResponse(status: 21003, code: "signature-invalid")
        metrics.countVerdict(kind: "receipt", code: nil)
        metrics.countVerdict(kind: "receipt", code: nil)
        metrics.countVerdict(kind: "receipt", code: "signature-invalid")
        metrics.countVerdict(kind: "signed-data", code: nil)
        #expect(lines().contains(#"appreceipt_verify_receipt_responses_total{code="valid",status="0"} 1"#))
        #expect(
            lines().contains(#"appreceipt_verify_receipt_responses_total{code="signature-invalid",status="21003"} 1"#))
        #expect(lines().contains(#"appreceipt_verdicts_total{code="valid",kind="receipt"} 2"#))
        #expect(lines().contains(#"appreceipt_verdicts_total{code="signature-invalid",kind="receipt"} 1"#))
        #expect(lines().contains(#"appreceipt_verdicts_total{code="valid",kind="signed-data"} 1"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A clock that is behind is reported once, and recorded until it has passed Apple's date")
    func clock() {
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        let now = Date(timeIntervalSince1970: 1_000_000)
        #expect(registry.text().contains("appreceipt_clock_behind_seconds 0"))
        // Apple's clocks aren't equal either.
        #expect(metrics.recordClock(now, behind: now + 60) == nil)
        #expect(metrics.recordClock(now, behind: now + 90) == 90)
        #expect(metrics.recordClock(now, behind: now + 3600) == nil)
        #expect(metrics.recordClock(now, behind: now + 120) == nil)
        metrics.recordClockBehind(at: now + 600)
        #expect(registry.text().contains("appreceipt_clock_behind_seconds 3000"))
        metrics.recordClockBehind(at: now + 3601)
        #expect(registry.text().contains("appreceipt_clock_behind_seconds 0"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The process is recorded under Prometheus' names")
    func process() {
        let registry = PrometheusRegistry()
        let metrics = ServerMetrics(registry)
        metrics.record(ProcessUse(processorSeconds: 1.25, residentBytes: 1024, openFiles: nil))
        metrics.record(ProcessUse(processorSeconds: 1.5, residentBytes: 4096, openFiles: nil))
        let lines = registry.text().split(separator: "\n")
        #expect(lines.contains("# TYPE process_cpu_seconds_total counter"))
        #expect(lines.contains("process_cpu_seconds_total 1.5"))
        #expect(lines.contains("process_resident_memory_bytes 4096"))
        #expect(!registry.text().contains("process_open_fds "))
        #expect(ProcessUse.residentBytes(inStatus: "Name:\tserver\nVmRSS:\t    12 kB\nThreads:\t3\n") == 12_288)
        #expect(ProcessUse.residentBytes(inStatus: "Name:\tserver\n") == nil)
        // The program is named "a ) b".
        let stat = "42 (a ) b) S 1 2 3 4 5 6 7 8 9 10 250 50 0 0 20 0 3"
        #expect(ProcessUse.processorSeconds(inStat: stat) == 3)
        #expect(ProcessUse.processorSeconds(inStat: "42") == nil)
        #if os(Linux)
        let use = ProcessUse.current
        #expect(use.processorSeconds ?? 0 > 0)
        #expect(use.residentBytes ?? 0 > 1 << 20)
        #expect(use.openFiles ?? 0 > 2)
        #endif
    }
}
#endif
