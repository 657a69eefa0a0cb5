#if Server
import Testing
import Tracing

@testable import AppReceiptServer

@Suite("OTLPTracer")
struct OTLPTracerTests {
    private let registry = PrometheusRegistry()
    private let buffer: SpanBuffer

    init() { buffer = SpanBuffer(metrics: ServerMetrics(registry)) }

    /// A context below a remote span.
    private static func remote(isSampled: Bool) -> ServiceContext {
        var context = ServiceContext.topLevel
        context.trace = TraceContext(trace: .init(upper: 1, lower: .max), span: 7, isSampled: isSampled)
        return context
    }

    @Test("A span below a remote one is recorded if that one is, whatever the ratio", arguments: [true, false])
    func parent(isSampled: Bool) {
        let tracer = OTLPTracer(sampleRatio: isSampled ? 0 : 1, buffer: buffer)
        let span = tracer.startSpan("a", context: Self.remote(isSampled: isSampled))
        #expect(span.isRecording == isSampled)
        #expect(span.context.trace?.isSampled == isSampled)
        #expect(span.context.trace?.traceText == "0000000000000001ffffffffffffffff")
        span.end()
        #expect((buffer.take()?.map(\.parent) ?? []) == (isSampled ? [7] : []))
    }

    @Test("A trace that begins here is recorded with the ratio, with all of its spans")
    func root() {
        for ratio in [0.0, 1] {
            let tracer = OTLPTracer(sampleRatio: ratio, buffer: buffer)
            tracer.withSpan("outer", context: .topLevel) { _ in tracer.withSpan("inner") { _ in } }
        }
        let spans = buffer.take() ?? []
        #expect(spans.map(\.name) == ["inner", "outer"])
        #expect(spans.first?.parent == spans.last?.context.span)
        #expect(spans.last?.parent == nil)
        #expect(Set(spans.map(\.context.trace)).count == 1)
    }

    @Test("A span is exported once, and doesn't change after its end")
    func end() {
        let span = OTLPTracer(sampleRatio: 1, buffer: buffer).startSpan("a", context: .topLevel)
        span.end()
        span.operationName = "b"
        span.attributes["c"] = 1
        span.end()
        let spans = buffer.take() ?? []
        #expect(spans.map(\.name) == ["a"])
        #expect(spans.first?.attributes.isEmpty == true)
        #expect(!span.isRecording)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Spans beyond the capacity are dropped and counted")
    func full() {
        let tracer = OTLPTracer(sampleRatio: 1, buffer: buffer)
        for _ in 0..<SpanBuffer.capacity + 3 { tracer.startSpan("a", context: .topLevel).end() }
        #expect(registry.text().contains(#"appreceipt_spans_dropped_total{reason="buffer-full"} 3"#))
        var count = 0
        while let batch = buffer.take() { count += batch.count }
        #expect(count == SpanBuffer.capacity)
    }
}
#endif
