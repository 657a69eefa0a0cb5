#if Server
import AppReceiptSupport
import Testing
import Tracing

@testable import AppReceiptServer

@Suite("OTLPDocument")
struct OTLPDocumentTests {
    private static let context = TraceContext(
        trace: .init(upper: 0x5b8e_fff7_9803_8103, lower: 0xd269_b633_813f_c60c), span: 0xeee1_9b7e_c3c1_b174,
        isSampled: true)

    private static func text(_ span: SpanRecord) -> String {
        let document = OTLPDocument(service: "my.service", scope: "my.library", version: "1.0.0")
        return String(decoding: document.json([span]), as: UTF8.self)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The JSON is that of the protocol's example")
    func example() {
        var span = SpanRecord(
            context: Self.context, parent: 0xeee1_9b7e_c3c1_b173, name: "I'm a server span", kind: .server,
            start: 1_544_712_660_000_000_000)
        span.end = 1_544_712_661_000_000_000
        span.attributes = ["my.span.attr": "some value"]
        // opentelemetry-proto, examples/trace.json, with identifiers in lowercase and a version of the service.
        let expected = #"""
            {"resourceSpans":[{"resource":{"attributes":[
            {"key":"service.name","value":{"stringValue":"my.service"}},
            {"key":"service.version","value":{"stringValue":"1.0.0"}}]},
            "scopeSpans":[{"scope":{"name":"my.library","version":"1.0.0"},
            "spans":[{"traceId":"5b8efff798038103d269b633813fc60c","spanId":"eee19b7ec3c1b174",
            "parentSpanId":"eee19b7ec3c1b173","name":"I'm a server span","kind":2,
            "startTimeUnixNano":"1544712660000000000","endTimeUnixNano":"1544712661000000000",
            "attributes":[{"key":"my.span.attr","value":{"stringValue":"some value"}}],"status":{}}]}]}]}
            """#
        #expect(Self.text(span) == expected.replacing("\n", with: ""))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Numbers of 64 bits are strings, enumerations are numbers, and absent members are left out")
    func values() {
        var span = SpanRecord(context: Self.context, parent: nil, name: "a", kind: .client, start: 1)
        span.attributes = ["int": .int64(.max), "small": .int32(-1), "yes": true]
        span.status = SpanStatus(code: .error)
        span.events = [SpanEvent(name: "e", at: DefaultTracerClock.Timestamp(nanosecondsSinceEpoch: 5))]
        let text = Self.text(span)
        #expect(!text.contains("parentSpanId"))
        #expect(text.contains(#""kind":3,"#))
        #expect(text.contains(#"{"key":"int","value":{"intValue":"9223372036854775807"}}"#))
        #expect(text.contains(#"{"key":"small","value":{"intValue":"-1"}},{"key":"yes","value":{"boolValue":true}}"#))
        #expect(text.contains(#""events":[{"timeUnixNano":"5","name":"e","attributes":[]}]"#))
        #expect(text.contains(#""status":{"code":2}"#))
    }
}
#endif
