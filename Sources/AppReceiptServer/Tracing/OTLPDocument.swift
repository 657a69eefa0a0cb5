#if Server
import AppReceiptSupport
import Tracing

/// The JSON of spans in a request to `/v1/traces`: identifiers are hexadecimal, numbers of 64 bits are strings, and
/// enumerations are numbers.
///
/// Source: OpenTelemetry Protocol 1.5, JSON Protobuf Encoding; opentelemetry/proto/trace/v1/trace.proto.
struct OTLPDocument: Sendable {
    /// The name of the service, in the resource.
    var service = "appreceipt"
    /// The name of what recorded the spans.
    var scope = "appreceipt"
    /// The version of the program.
    let version: String

    /// Returns the document with some spans.
    func json(_ spans: [SpanRecord]) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 * spans.count)
        writer.openObject()
        writer.openArray("resourceSpans")
        writer.element { writer in
            writer.openObject("resource")
            Self.write(["service.name": "\(service)", "service.version": "\(version)"], to: &writer)
            writer.closeObject()
            writer.openArray("scopeSpans")
            writer.element { writer in
                writer.openObject("scope")
                writer.member("name", scope)
                writer.member("version", version)
                writer.closeObject()
                writer.openArray("spans")
                for span in spans { writer.element { Self.write(span, to: &$0) } }
                writer.closeArray()
            }
            writer.closeArray()
        }
        writer.closeArray()
        writer.closeObject()
        return writer.bytes
    }

    private static func write(_ span: SpanRecord, to writer: inout JSONWriter) {
        writer.member("traceId", span.context.traceText)
        writer.member("spanId", span.context.spanText)
        writer.memberIfPresent("parentSpanId", span.parent.map { TraceContext.text($0) })
        writer.member("name", span.name)
        writer.member("kind", number: number(of: span.kind))
        writer.member("startTimeUnixNano", String(span.start))
        writer.member("endTimeUnixNano", String(span.end ?? span.start))
        write(span.attributes, to: &writer)
        if !span.events.isEmpty {
            writer.openArray("events")
            for event in span.events {
                writer.element { writer in
                    writer.member("timeUnixNano", String(event.nanosecondsSinceEpoch))
                    writer.member("name", event.name)
                    write(event.attributes, to: &writer)
                }
            }
            writer.closeArray()
        }
        if !span.links.isEmpty {
            writer.openArray("links")
            for link in span.links {
                guard let context = link.context.trace else { continue }
                writer.element { writer in
                    writer.member("traceId", context.traceText)
                    writer.member("spanId", context.spanText)
                    write(link.attributes, to: &writer)
                }
            }
            writer.closeArray()
        }
        writer.openObject("status")
        if let status = span.status {
            writer.memberIfPresent("message", status.message)
            writer.member("code", number: status.code == .error ? 2 : 1)
        }
        writer.closeObject()
    }

    private static func write(_ attributes: SpanAttributes, to writer: inout JSONWriter) {
        var list: [(key: String, value: SpanAttribute)] = []
        attributes.forEach { list.append(($0, $1)) }
        writer.openArray("attributes")
        for (key, value) in list.sorted(by: { $0.key < $1.key }) {
            writer.element { writer in
                writer.member("key", key)
                writer.openObject("value")
                switch value {
                case .int32(let number): writer.member("intValue", String(number))
                case .int64(let number): writer.member("intValue", String(number))
                case .bool(let truth): writer.member("boolValue", truth)
                case .string(let text): writer.member("stringValue", text)
                case .stringConvertible(let value): writer.member("stringValue", "\(value)")
                default: writer.member("stringValue", "\(value)")
                }
                writer.closeObject()
            }
        }
        writer.closeArray()
    }

    private static func number(of kind: SpanKind) -> Int {
        switch kind {
        case .internal: 1
        case .server: 2
        case .client: 3
        case .producer: 4
        case .consumer: 5
        }
    }
}
#endif
