import AppReceiptSupport
import Foundation
import TestSupport
import Testing

@Suite("JSONWriter")
struct JSONWriterTests {
    private func text(isPretty: Bool = false, _ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(isPretty: isPretty)
        writer.element(write)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test("Members are written in the order of the calls, absent ones as null or not at all")
    func members() {
        let none: String? = nil
        #expect(
            text {
                $0.member("text", "a")
                $0.member("none", none)
                $0.memberIfPresent("absent", none)
                $0.member("yes", true)
                $0.member("number", number: -12)
                $0.member("large", number: UInt64.max)
                $0.member("digits", digits: 100)
                $0.member("date", instant("2024-01-15T09:00:00.250Z"))
                $0.member("bytes", base64: [1, 2, 3, 4][...])
                $0.openArray("list")
                $0.element("b")
                $0.element { $0.member("c", .null) }
                $0.closeArray()
                $0.openObject("empty")
                $0.closeObject()
            } == #"{"text":"a","none":null,"yes":true,"number":-12,"large":18446744073709551615,"digits":"100","#
                + #""date":"2024-01-15T09:00:00.250Z","bytes":"AQIDBA==","list":["b",{"c":null}],"empty":{}}"#)
    }

    @Test("Pretty text has a line for each member and element")
    func pretty() {
        #expect(
            text(isPretty: true) {
                $0.member("a", 1 as AppStoreJSON)
                $0.openArray("b")
                $0.element("c")
                $0.closeArray()
                $0.openObject("d")
                $0.closeObject()
            } == "{\n  \"a\" : 1,\n  \"b\" : [\n    \"c\"\n  ],\n  \"d\" : {}\n}")
    }

    @Test("An element that is written again is equal")
    func repeatedElement() {
        #expect(
            text {
                $0.openArray("a")
                let range = $0.element { $0.member("b", "c") }
                $0.repeatElement(range)
                $0.closeArray()
            } == #"{"a":[{"b":"c"},{"b":"c"}]}"#)
    }

    @Test("A character that needs an escape is escaped at every position of a string")
    func escapesAtEveryPosition() {
        for length in 1...20 {
            for position in 0..<length {
                for (character, escaped) in [
                    ("\"", "\\\""), ("\\", "\\\\"), ("\u{1F}", "\\u001f"), ("\u{7F}", "\\u007f"), ("\0", "\\u0000"),
                    ("é", "é"), ("\u{202E}", "\\u202e"), (" ", " "), ("~", "~"), ("!", "!"), ("#", "#"), ("[", "["),
                ] {
                    let (before, after) = (
                        String(repeating: "~", count: position), String(repeating: " ", count: length - position - 1)
                    )
                    #expect(
                        text { $0.member("a", before + character + after) }
                            == #"{"a":""# + before + escaped + after + #""}"#)
                }
            }
        }
    }

    @Test("Integers of every length are written with all digits")
    func integers() {
        var value: UInt64 = 1
        for _ in 0..<20 {
            for number in [value - 1, value, value + 1] {
                #expect(text { $0.member("n", number: number) } == #"{"n":\#(number)}"#)
                #expect(text { $0.member("n", digits: number) } == #"{"n":"\#(number)"}"#)
            }
            value = value &* 10
        }
        #expect(text { $0.member("n", number: Int.min) } == #"{"n":\#(Int.min)}"#)
    }

    @Test("Base64 of every length is that of Foundation")
    func base64() {
        for length in 0...70 {
            let octets = (0..<length).map { UInt8(truncatingIfNeeded: $0 * 37 + length * 11) }
            #expect(
                text { $0.member("b", base64: octets[...]) } == #"{"b":"\#(Data(octets).base64EncodedString())"}"#)
        }
    }
}
