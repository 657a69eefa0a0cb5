#if Server
import Testing

@testable import AppReceiptServer

@Suite("TraceContext")
struct TraceContextTests {
    private static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test("The header's fields are parsed and written")
    func valid() throws {
        let context = try #require(TraceContext(parsing: Self.text))
        #expect(context.traceText == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(context.spanText == "00f067aa0ba902b7")
        #expect(context.isSampled)
        #expect(context.text == Self.text)
        let unsampled = try #require(TraceContext(parsing: Self.text.dropLast(2) + "00"))
        #expect(!unsampled.isSampled)
        // Only the first bit is known.
        #expect(TraceContext(parsing: Self.text.dropLast(2) + "fe")?.isSampled == false)
        #expect(TraceContext(parsing: Self.text.dropLast(2) + "03")?.text == Self.text)
    }

    @Test("A later version may have more fields, version 00 and ff may not")
    func versions() {
        let rest = Self.text.dropFirst(2)
        #expect(TraceContext(parsing: "cc" + rest)?.text == Self.text)
        #expect(TraceContext(parsing: "cc" + rest + "-what-follows")?.text == Self.text)
        #expect(TraceContext(parsing: "cc" + rest + ".what-follows") == nil)
        #expect(TraceContext(parsing: "00" + rest + "-what-follows") == nil)
        #expect(TraceContext(parsing: "ff" + rest) == nil)
    }

    @Test(
        "A malformed header is ignored",
        arguments: [
            "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
            "0g-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0é",
            "00_4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7_01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            // Two headers, joined.
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01, 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        ])
    func malformed(_ text: String) {
        #expect(TraceContext(parsing: text) == nil)
    }

    @Test("The share of recorded traces is that of the identifiers below it")
    func sampling() {
        func isSampled(_ lower: UInt64, _ ratio: Double) -> Bool {
            TraceContext.isSampled(TraceContext.Halves(upper: 1, lower: lower), ratio: ratio)
        }
        #expect(isSampled(.max, 1))
        #expect(!isSampled(0, 0))
        #expect(isSampled(.max / 4, 0.3))
        #expect(!isSampled(.max / 3, 0.3))
        #expect(TraceContext(sampling: 1).isSampled)
        #expect(!TraceContext(sampling: 0).isSampled)
    }
}
#endif
