#if Server
import AppReceiptSupport
import AppStoreServerAPI
import TestSupport
import Testing
import Tracing

@testable import AppReceiptServer

@Suite("SpanExporter")
struct SpanExporterTests {
    /// A collector that answers in turn, with 200 from then on.
    @available(AppReceiptServer 1.0, *)
    private final class Collector: AppStoreServerTransport {
        let requests = LockedValueBox<[AppStoreServerHTTPRequest]>([])
        private let answers: LockedValueBox<[AppStoreServerHTTPResponse]>

        init(_ answers: [AppStoreServerHTTPResponse] = []) { self.answers = LockedValueBox(answers) }

        func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            requests.withLock { $0.append(request) }
            return answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
                ?? AppStoreServerHTTPResponse(status: 200, headers: [:], body: [])
        }
    }

    /// A collector that never answers.
    @available(AppReceiptServer 1.0, *)
    private final class HangingCollector: AppStoreServerTransport {
        let count = LockedValueBox(0)

        func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            count.withLock { $0 += 1 }
            try await Task.sleep(for: .seconds(86_400))
            throw CancellationError()
        }
    }

    @available(AppReceiptServer 1.0, *)
    private struct Fixture {
        let registry = PrometheusRegistry()
        let log = CapturedLog()
        let buffer: SpanBuffer
        let tracer: OTLPTracer
        let exporter: SpanExporter
        /// The waits other than those between exports.
        let waits = LockedValueBox<[Duration]>([])

        init(_ collector: any AppStoreServerTransport) throws {
            let metrics = ServerMetrics(registry)
            buffer = SpanBuffer(metrics: metrics)
            tracer = OTLPTracer(sampleRatio: 1, buffer: buffer)
            let configuration = try #require(TracingConfiguration(endpoint: "http://collector.example.com:4318"))
            exporter = SpanExporter(
                buffer: buffer, configuration: configuration, document: OTLPDocument(version: "1"), metrics: metrics,
                logger: log.logger, shutdownTimeout: .seconds(1), transport: collector,
                sleep: { [waits] duration in
                    guard duration == SpanExporter.interval else { return waits.withLock { $0.append(duration) } }
                    try await Task.sleep(for: .seconds(86_400))
                })
        }

        func end(_ count: Int) {
            for _ in 0..<count { tracer.startSpan("a", context: .topLevel).end() }
        }

        func has(_ line: String) -> Bool { registry.text().contains(line + "\n") }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A complete batch is exported at once, and the rest when the server stops")
    func batches() async throws {
        let collector = Collector()
        let fixture = try Fixture(collector)
        try await fixture.exporter.exporting {
            fixture.end(SpanBuffer.batchSize)
            await waitUntil { fixture.has("appreceipt_spans_exported_total 512") }
            fixture.end(3)
        }
        #expect(fixture.has("appreceipt_spans_exported_total 515"))
        let requests = collector.requests.withLock(\.self)
        #expect(requests.map(\.url) == Array(repeating: "http://collector.example.com:4318/v1/traces", count: 2))
        #expect(requests.allSatisfy { $0.headers == ["Content-Type": "application/json"] })
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A collector that never answers delays no span: what is too much is dropped and counted")
    func hangs() async throws {
        let collector = HangingCollector()
        let fixture = try Fixture(collector)
        let running = Task { await fixture.exporter.run() }
        fixture.end(SpanBuffer.batchSize)
        await waitUntil { collector.count.withLock { $0 == 1 } }
        fixture.end(SpanBuffer.capacity + 9)
        #expect(fixture.has(#"appreceipt_spans_dropped_total{reason="buffer-full"} 9"#))
        running.cancel()
        await running.value
        // The batch that was being sent is kept for the last export.
        var kept = 0
        while let batch = fixture.buffer.take() { kept += batch.count }
        #expect(kept == SpanBuffer.capacity + SpanBuffer.batchSize)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A batch that the collector may accept later is sent once more, after the time that it names")
    func retry() async throws {
        let busy = AppStoreServerHTTPResponse(status: 503, headers: ["retry-after": "7"], body: [])
        let collector = Collector([busy, AppStoreServerHTTPResponse(status: 200, headers: [:], body: []), busy, busy])
        let fixture = try Fixture(collector)
        let running = Task { await fixture.exporter.run() }
        fixture.end(SpanBuffer.batchSize)
        await waitUntil { fixture.has("appreceipt_spans_exported_total 512") }
        fixture.end(SpanBuffer.batchSize)
        await waitUntil { fixture.has(#"appreceipt_spans_dropped_total{reason="export-failed"} 512"#) }
        running.cancel()
        await running.value
        #expect(collector.requests.withLock(\.count) == 4)
        #expect(fixture.waits.withLock(\.self) == [.seconds(7), .seconds(7)])
        #expect(fixture.log.text.contains("status 503"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A rejected batch isn't sent again, and single rejected spans are counted")
    func rejected() async throws {
        let partly = Array(#"{"partialSuccess":{"rejectedSpans":"2","errorMessage":"x"}}"#.utf8)
        let collector = Collector([
            AppStoreServerHTTPResponse(status: 400, headers: [:], body: []),
            AppStoreServerHTTPResponse(status: 200, headers: [:], body: partly),
        ])
        let fixture = try Fixture(collector)
        let running = Task { await fixture.exporter.run() }
        fixture.end(SpanBuffer.batchSize)
        await waitUntil { fixture.has(#"appreceipt_spans_dropped_total{reason="export-failed"} 512"#) }
        fixture.end(SpanBuffer.batchSize)
        await waitUntil { fixture.has(#"appreceipt_spans_dropped_total{reason="export-failed"} 514"#) }
        running.cancel()
        await running.value
        #expect(fixture.has("appreceipt_spans_exported_total 510"))
        #expect(collector.requests.withLock(\.count) == 2)
    }

    @Test(
        "An address with another scheme, a password, a query or a fragment is invalid",
        arguments: [
            "", "collector:4318", "grpc://collector:4317", "http://", "http://user:password@collector:4318",
            "http://collector:4318?key=secret", "http://collector:4318#a",
        ])
    func address(_ text: String) {
        #expect(TracingConfiguration(endpoint: text) == nil)
        #expect(TracingConfiguration(endpoint: "https://collector/otlp", sampleRatio: 1.1) == nil)
        let addresses = ["https://collector/otlp", "https://collector/otlp/"].map {
            TracingConfiguration(endpoint: $0)?.tracesAddress
        }
        #expect(addresses == ["https://collector/otlp/v1/traces", "https://collector/otlp/v1/traces"])
    }
}
#endif
