#if Server
import AppReceiptSupport
import Tracing

/// A tracer whose spans go to a ``SpanBuffer``.
///
/// A span below another one is recorded if that one is, wherever it was started. Of other traces, a share is recorded.
final class OTLPTracer: Tracer {
    private let sampleRatio: Double
    private let buffer: SpanBuffer

    /// - Parameters:
    ///   - sampleRatio: The share of the traces that begin here and are recorded, from 0 to 1.
    ///   - buffer: Receives the spans that have ended.
    init(sampleRatio: Double, buffer: SpanBuffer) {
        self.sampleRatio = sampleRatio
        self.buffer = buffer
    }

    func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.trace
        let trace = parent?.child ?? TraceContext(sampling: sampleRatio)
        context.trace = trace
        let record = SpanRecord(
            context: trace, parent: parent?.span, name: operationName, kind: kind,
            start: trace.isSampled ? instant().nanosecondsSinceEpoch : 0)
        return OTLPSpan(record, context: context, buffer: trace.isSampled ? buffer : nil)
    }

    func forceFlush() { buffer.wake() }

    func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let text = extractor.extract(key: "traceparent", from: carrier) else { return }
        context.trace = TraceContext(parsing: text)
    }

    func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let trace = context.trace else { return }
        injector.inject(trace.text, forKey: "traceparent", into: &carrier)
    }
}

/// What is exported of a span.
struct SpanRecord: Sendable {
    let context: TraceContext
    /// The identifier of the span above it; nil for none.
    let parent: UInt64?
    var name: String
    let kind: SpanKind
    /// Nanoseconds since 1970.
    let start: UInt64
    /// Nanoseconds since 1970; nil until the span has ended.
    var end: UInt64?
    var attributes: SpanAttributes = [:]
    var events: [SpanEvent] = []
    var links: [SpanLink] = []
    var status: SpanStatus?
}

/// A span that is recorded, or one that only has a place in the trace.
final class OTLPSpan: Span {
    let context: ServiceContext
    private let record: LockedValueBox<SpanRecord>
    /// Nil if the span isn't recorded.
    private let buffer: SpanBuffer?

    init(_ record: SpanRecord, context: ServiceContext, buffer: SpanBuffer?) {
        self.record = LockedValueBox(record)
        self.context = context
        self.buffer = buffer
    }

    var isRecording: Bool { buffer != nil && record.withLock { $0.end == nil } }

    var operationName: String {
        get { record.withLock(\.name) }
        set { update { $0.name = newValue } }
    }

    var attributes: SpanAttributes {
        get { record.withLock(\.attributes) }
        set { update { $0.attributes = newValue } }
    }

    func setStatus(_ status: SpanStatus) { update { $0.status = status } }
    func addEvent(_ event: SpanEvent) { update { $0.events.append(event) } }
    func addLink(_ link: SpanLink) { update { $0.links.append(link) } }

    /// Records the type of an error. Its description may contain parts of a request.
    func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard let buffer else { return }
        let end = instant().nanosecondsSinceEpoch
        let ended = record.withLock { record -> SpanRecord? in
            guard record.end == nil else { return nil }
            record.end = max(end, record.start)
            return record
        }
        if let ended { buffer.add(ended) }
    }

    private func update(_ change: (inout SpanRecord) -> Void) {
        guard buffer != nil else { return }
        record.withLock { if $0.end == nil { change(&$0) } }
    }
}
#endif
