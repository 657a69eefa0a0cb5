#if Server
import Tracing

/// The position of a span in a trace, as the header `traceparent` contains it.
///
/// Source: W3C Trace Context, Level 1.
struct TraceContext: Sendable, Hashable {
    /// The upper and the lower half of the trace's identifier. Not both are 0.
    let trace: Halves
    /// The span's identifier, which isn't 0.
    let span: UInt64
    /// Whether the trace is recorded.
    let isSampled: Bool

    /// The halves of a number of 128 bits.
    struct Halves: Sendable, Hashable {
        let upper: UInt64
        let lower: UInt64
    }

    /// Creates the context of the first span of a trace.
    ///
    /// - Parameter ratio: The share of the traces that are recorded, from 0 to 1.
    init(sampling ratio: Double) {
        // Never 0.
        let trace = Halves(upper: .random(in: 1 ... .max), lower: .random(in: 0 ... .max))
        self.init(trace: trace, span: .random(in: 1 ... .max), isSampled: Self.isSampled(trace, ratio: ratio))
    }

    init(trace: Halves, span: UInt64, isSampled: Bool) {
        self.trace = trace
        self.span = span
        self.isSampled = isSampled
    }

    /// The context of a new span below this one, which is recorded if this one is.
    var child: TraceContext { TraceContext(trace: trace, span: .random(in: 1 ... .max), isSampled: isSampled) }

    /// Returns whether a trace is among those that are recorded. The identifier decides.
    static func isSampled(_ trace: Halves, ratio: Double) -> Bool {
        Double(trace.lower >> 11) < ratio * 0x1p53
    }

    // MARK: traceparent

    /// Parses the value of the header. Nil if it is malformed, has an identifier of zeros or the version ff.
    init?(parsing text: String) {
        let bytes = Array(text.utf8)
        guard bytes.count >= 55, bytes[2] == UInt8(ascii: "-"), bytes[35] == UInt8(ascii: "-"),
            bytes[52] == UInt8(ascii: "-"), let version = Self.number(bytes[0..<2]), version != 0xFF,
            // A later version may append fields.
            bytes.count == 55 || (version > 0 && bytes[55] == UInt8(ascii: "-")),
            let upper = Self.number(bytes[3..<19]), let lower = Self.number(bytes[19..<35]), upper | lower != 0,
            let span = Self.number(bytes[36..<52]), span != 0, let flags = Self.number(bytes[53..<55])
        else { return nil }
        self.init(trace: Halves(upper: upper, lower: lower), span: span, isSampled: flags & 1 == 1)
    }

    /// The value of the header.
    var text: String { "00-\(traceText)-\(spanText)-\(isSampled ? "01" : "00")" }

    /// The trace's identifier in 32 hexadecimal digits.
    var traceText: String { Self.text(trace.upper) + Self.text(trace.lower) }

    /// The span's identifier in 16 hexadecimal digits.
    var spanText: String { Self.text(span) }

    /// Returns a number of 64 bits in 16 hexadecimal digits.
    static func text(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Parses lowercase hexadecimal digits, at most 16.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt64? {
        var number: UInt64 = 0
        for digit in digits {
            switch digit {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): number = number << 4 | UInt64(digit - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"): number = number << 4 | UInt64(digit - UInt8(ascii: "a") + 10)
            default: return nil
            }
        }
        return number
    }
}

extension ServiceContext {
    private enum Key: ServiceContextKey {
        typealias Value = TraceContext
    }

    /// The span of this context, or the remote one from which it was extracted; nil outside of a trace.
    var trace: TraceContext? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}
#endif
