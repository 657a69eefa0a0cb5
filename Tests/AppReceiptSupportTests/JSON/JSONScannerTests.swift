import AppReceiptSupport
import Foundation
import Testing

@Suite("JSONScanner")
struct JSONScannerTests {
    /// The range of the value in `text`, which must contain exactly one value.
    private func skip(_ text: String, depth: Int = 32) throws(JSONScanner.Fault) -> Range<Int> {
        let bytes = Array(text.utf8)[...]
        var scanner = JSONScanner(0..<bytes.count, depth: depth)
        let range = try scanner.skip(bytes.span)
        try scanner.finish(bytes.span)
        return range
    }

    private func string(_ text: String) throws(JSONScanner.Fault) -> String? {
        let bytes = Array(text.utf8)[...]
        var scanner = JSONScanner(0..<bytes.count)
        let string = try scanner.string(bytes.span)
        try scanner.finish(bytes.span)
        return string.decoded(bytes)
    }

    static let good = [
        "{}", "[]", "null", "true", "false", "0", "-0", "12", "-1.5", "1e5", "1E+5", "1.25e-10", "\"\"", "\"a\"",
        " [ 1 , 2 ] ", "\t{\r\n\"a\" : { \"b\" : [ ] } , \"c\":null}\n", "[[[[]]]]", "[{\"a\":[{}]},[],{}]",
        "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\\u00e9\\uD83D\\uDE00\"", "{\"a\":1,\"a\":2}",
        "123456789012345678901234567890",
    ]

    static let bad = [
        "", " ", "{", "}", "[", "]", "[1", "[1,", "[1,]", "[,1]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{,}",
        "{a:1}", "{'a':1}", "{1:1}", "[}", "{]", "[1}", "{\"a\":1]", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1",
        "NaN",
        "tru", "trueX", "nul", "nulL", "\"", "\"\\\"", "\"\\", "\"a\nb\"", "\"\t\"", "[] []", "{} x", "\u{FEFF}[]",
        "1 2", "//",
    ]

    @Test("A value that RFC 8259 allows is skipped as a whole", arguments: good)
    func allowed(text: String) throws {
        #expect(try skip(text).count == text.trimmingCharacters(in: .whitespacesAndNewlines).utf8.count)
        // Foundation accepts it too.
        #expect(throws: Never.self) {
            try JSONSerialization.jsonObject(with: Data(text.utf8), options: .fragmentsAllowed)
        }
    }

    @Test("Text that RFC 8259 doesn't allow is rejected", arguments: bad)
    func rejected(text: String) {
        #expect(throws: JSONScanner.Fault.self) { try skip(text) }
    }

    @Test("A fault has the position")
    func position() {
        #expect(throws: JSONScanner.Fault.unexpected(4)) { try skip("[1, ]") }
        #expect(throws: JSONScanner.Fault.unexpected(3)) { try skip("[1 2]") }
        #expect(throws: JSONScanner.Fault.unexpected(1)) { try skip("{1}") }
        #expect(throws: JSONScanner.Fault.unexpected(2)) { try skip("[]x") }
        #expect(throws: JSONScanner.Fault.unexpected(4)) { try skip("\"abc") }
    }

    @Test("Values nested deeper than the limit are rejected without recursion")
    func depth() throws {
        let deep = { (levels: Int) in String(repeating: "[", count: levels) + String(repeating: "]", count: levels) }
        #expect(try skip(deep(32)) == 0..<64)
        #expect(throws: JSONScanner.Fault.tooDeep(32)) { try skip(deep(33)) }
        #expect(try skip(deep(100_000), depth: 100_000).count == 200_000)
        #expect(throws: JSONScanner.Fault.tooDeep(1)) { try skip("[{\"a\":1}]", depth: 1) }
    }

    @Test(
        "Strings are decoded, including escapes and surrogate pairs",
        arguments: [
            ("\"\"", ""), ("\"abc\"", "abc"), ("\"Größe 👍\"", "Größe 👍"), ("\"a\\/b\"", "a/b"), ("\"\\\\\"", "\\"),
            ("\"\\\"\"", "\""), ("\"\\u0041\\u00e9\\uD83D\\uDE00!\"", "Aé😀!"), ("\"\\u0000\"", "\0"),
            ("\"\\n\\t\"", "\n\t"),
            ("\"\\\\u0041\"", "\\u0041"),
        ])
    func decoding(text: String, value: String) throws {
        #expect(try string(text) == value)
    }

    @Test(
        "Unpaired surrogates, unknown escapes and malformed hexadecimal digits aren't decoded",
        arguments: [
            "\"\\uD83D\"", "\"\\uD83Dx\"", "\"\\uDE00\"", "\"\\uD83D\\u0041\"", "\"\\uD83D\\n12345\"", "\"\\x41\"",
            "\"\\u12\"",
            "\"\\u12G4\"", "\"\\u+123\"", "\"\\ \"", "\"\\u\"",
        ])
    func undecodable(text: String) throws {
        #expect(try string(text) == nil)
    }

    @Test(
        "Invalid UTF-8 isn't decoded",
        arguments: [[0xFF], [0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func notUTF8(octets: [UInt8]) throws {
        for escape in [[], Array("\\n".utf8)] {
            let bytes = ([UInt8(ascii: "\"")] + escape + octets + [UInt8(ascii: "\"")])[...]
            var scanner = JSONScanner(0..<bytes.count)
            #expect(try scanner.string(bytes.span).decoded(bytes) == nil)
        }
    }

    @Test("Members are read in order, and values can be read or skipped")
    func members() throws {
        let bytes = Array("{\"a\":\"x\",\"b\":[1,{\"c\":2}],\"d\":-1.5,\"e\":true,\"f\":null}".utf8)[...]
        let span = bytes.span
        var scanner = JSONScanner(0..<bytes.count)
        #expect(try scanner.kind(span) == .object)
        try scanner.open(.object, in: span)
        var names: [String?] = []
        var kinds: [JSONScanner.Kind] = []
        var values: [String] = []
        while try scanner.hasNext(span, in: .object, isFirst: names.isEmpty) {
            names.append(try scanner.name(span).decoded(bytes))
            let kind = try scanner.kind(span)
            kinds.append(kind)
            switch kind {
            case .string: values.append(try scanner.string(span).decoded(bytes) ?? "")
            case .number: values.append(String(decoding: bytes[try scanner.number(span)], as: UTF8.self))
            case .boolean: values.append("\(try scanner.boolean(span))")
            case .null: try scanner.null(span)
            default: values.append(String(decoding: bytes[try scanner.skip(span)], as: UTF8.self))
            }
        }
        try scanner.finish(span)
        #expect(names == ["a", "b", "d", "e", "f"])
        #expect(kinds == [.string, .array, .number, .boolean, .null])
        #expect(values == ["x", "[1,{\"c\":2}]", "-1.5", "true"])
    }

    @Test("A long string of escapes is read in linear time")
    func escapes() throws {
        let text = "\"" + String(repeating: "\\n", count: 500_000) + "\""
        #expect(try string(text)?.utf8.count == 500_000)
    }

    @Test("The scanner accepts no changed text that Foundation rejects")
    func oracle() {
        let text = Array("{\"a\":[1,-2.5e3,\"\\u00e9\\n\"],\"b\":{\"c\":null,\"d\":[true,false]}}".utf8)
        var (agreed, stricter) = (0, 0)
        for position in text.indices {
            for octet in UInt8.min...UInt8.max {
                var changed = text
                changed[position] = octet
                let slice = changed[...]
                var scanner = JSONScanner(0..<slice.count)
                var ours = (try? scanner.skip(slice.span)) != nil && (try? scanner.finish(slice.span)) != nil
                // The scanner doesn't check escapes and UTF-8. Decoding does.
                if ours { ours = everythingDecodes(slice) }
                let theirs = (try? JSONSerialization.jsonObject(with: Data(changed))) != nil
                if ours == theirs { agreed += 1 } else { stricter += 1 }
                // The scanner may reject more, but never less.
                #expect(theirs || !ours, "\(String(decoding: changed, as: UTF8.self))")
            }
        }
        #expect(agreed > text.count * 250)
        #expect(stricter < text.count)
    }

    /// Whether every string in a scanned text can be decoded.
    private func everythingDecodes(_ bytes: ArraySlice<UInt8>) -> Bool {
        let span = bytes.span
        var position = 0
        while let quote = span.firstIndex(of: UInt8(ascii: "\""), in: position..<span.count) {
            var scanner = JSONScanner(quote..<span.count)
            guard let text = try? scanner.string(span), text.decoded(bytes) != nil else { return false }
            position = scanner.position
        }
        return true
    }
}
