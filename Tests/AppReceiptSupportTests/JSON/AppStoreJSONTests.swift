import AppReceiptSupport
import Foundation
import Testing

@Suite("AppStoreJSON")
struct AppStoreJSONTests {
    private func parse(_ text: String, depth: Int = 32) throws(AppStoreJSON.Fault) -> AppStoreJSON {
        try AppStoreJSON(parsing: Array(text.utf8)[...], depth: depth)
    }

    @Test(
        "A parsed value is written unchanged, with members in their order and numbers digit by digit",
        arguments: [
            "null", "true", "false", "0", "-1.50e+07", "123456789012345678901234567890", "\"\"", "\"é😀/\"", "[]", "{}",
            "[1,[2,{\"b\":1,\"a\":[]}],\"c\"]",
            "{\"z\":{\"y\":null},\"a\":1697679936056.485,\"é\":\"\\u001b\\\"\\\\\"}",
        ])
    func roundTrip(text: String) throws {
        #expect(String(decoding: try parse(text).text(), as: UTF8.self) == text)
        let pretty = try parse(text).text(isPretty: true)
        #expect(try AppStoreJSON(parsing: pretty[...]) == parse(text))
    }

    @Test("Pretty text has a line for each member and element")
    func pretty() throws {
        let value: AppStoreJSON = ["a": [1, "b"], "c": [:], "d": []]
        #expect(
            String(decoding: value.text(isPretty: true), as: UTF8.self)
                == "{\n  \"a\" : [\n    1,\n    \"b\"\n  ],\n  \"c\" : {},\n  \"d\" : []\n}")
    }

    @Test(
        "A duplicate member is rejected, even if its name is escaped",
        arguments: [
            ("{\"a\":1,\"a\":1}", 7), ("{\"a\":1,\"\\u0061\":2}", 7), ("[{\"b\":{\"x\":1,\"y\":2,\"x\":3}}]", 19),
            ("{\"\":0,\"\":0}", 6),
        ])
    func duplicates(text: String, position: Int) {
        #expect(throws: AppStoreJSON.Fault.duplicateMember(position)) { try parse(text) }
    }

    @Test("A duplicate member among many is rejected")
    func manyMembers() throws {
        let members = (0..<500).map { "\"m\($0)\":\($0)" }
        let object = try #require(parse("{\(members.joined(separator: ","))}").object)
        #expect(object.members.count == 500)
        #expect(object["m499"] == 499)
        for again in [0, 47, 48, 49, 499] {
            #expect(throws: AppStoreJSON.Fault.self) {
                try parse("{\((members + ["\"m\(again)\":0"]).joined(separator: ","))}")
            }
        }
    }

    @Test(
        "Text that isn't JSON is rejected at the position",
        arguments: [
            ("", 0), (" ", 1), ("{\"a\":1,}", 7), ("[1 2]", 3), ("01", 1), ("{\"a\" 1}", 5), ("{a:1}", 1), ("nul", 3),
            ("[] []", 3), ("\"\\x\"", 1), ("\"\\ud800\"", 1),
        ])
    func malformed(text: String, position: Int) {
        #expect(throws: AppStoreJSON.Fault.malformed(position)) { try parse(text) }
    }

    @Test("Text that isn't UTF-8 is rejected")
    func encoding() {
        #expect(throws: AppStoreJSON.Fault.self) { try AppStoreJSON(parsing: [0x22, 0xC3, 0x28, 0x22]) }
        #expect(throws: AppStoreJSON.Fault.self) { try AppStoreJSON(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test("Arrays and objects nested deeper than the limit are rejected")
    func depth() throws {
        let arrays = { (depth: Int) in String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
        let objects = { (depth: Int) in
            String(repeating: "{\"a\":", count: depth) + "1" + String(repeating: "}", count: depth)
        }
        for make in [arrays, objects] {
            _ = try parse(make(32))
            #expect(throws: AppStoreJSON.Fault.tooDeep(32 * (make(1).count / 2 > 1 ? 5 : 1))) { try parse(make(33)) }
            #expect(throws: AppStoreJSON.Fault.self) { try parse(make(100_000)) }
        }
        // Siblings don't count as nesting.
        _ = try parse("[" + [String](repeating: "[[]]", count: 1000).joined(separator: ",") + "]", depth: 3)
    }

    @Test("Numbers are integers only if they are written as integers")
    func numbers() throws {
        #expect(try parse("900719925474099301").number?.int64 == 900_719_925_474_099_301)
        #expect(try parse("-9223372036854775808").number?.int64 == .min)
        #expect(try parse("9223372036854775808").number?.int64 == nil)
        #expect(try parse("1.0").number?.int64 == nil)
        #expect(try parse("1697679936056.485").number?.double == 1_697_679_936_056.485)
        #expect(try parse("-62135769600000").number?.double == -62_135_769_600_000)
    }

    @Test("Integers are encoded with all their digits, as far as an encoder has a type for them")
    func encodedNumbers() throws {
        let value = try parse("[-9223372036854775808,18446744073709551615,0.5]")
        #expect(
            String(decoding: try JSONEncoder().encode(value), as: UTF8.self)
                == "[-9223372036854775808,18446744073709551615,0.5]")
    }

    @Test("Objects with the same members in another order are equal")
    func equality() throws {
        #expect(try parse("{\"a\":1,\"b\":2}") == parse("{\"b\":2,\"a\":1}"))
        #expect(try parse("{\"a\":1,\"b\":2}") != parse("{\"a\":1}"))
        #expect(try parse("[1,2]") != parse("[2,1]"))
    }

    @Test("An object is created from members with values of any depth")
    func deepMembers() {
        let deep = (0..<100).reduce(AppStoreJSON.null) { value, _ in .array([value]) }
        #expect(AppStoreJSON { $0.member("deep", deep) }.object?["deep"] == deep)
    }

    @Test("Deeply nested values are compared and hashed in linear time")
    func deepEquality() throws {
        let text = String(repeating: "{\"a\":", count: 32) + "1" + String(repeating: "}", count: 32)
        let other = text.replacingOccurrences(of: "1", with: "2")
        #expect(try parse(text) == parse(text))
        #expect(try parse(text) != parse(other))
        #expect(try Set([parse(text), parse(other), parse(text)]).count == 2)
        let shuffled = "{\"b\":\(text),\"c\":\(other)}", order = "{\"c\":\(other),\"b\":\(text)}"
        #expect(try parse(shuffled, depth: 40) == parse(order, depth: 40))
        #expect(try parse(shuffled, depth: 40).hashValue == parse(order, depth: 40).hashValue)
    }

    @Test("Names are compared without Unicode normalization")
    func spellings() throws {
        let object = try #require(parse("{\"\\u00e9\":1,\"e\\u0301\":2}").object)
        #expect(object["\u{e9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test("Members are found, replaced, added and removed by name")
    func members() {
        var object: AppStoreJSON.Object = ["a": 1, "b": 2]
        object["b"] = "two"
        object["c"] = true
        object["a"] = nil
        #expect(object.members.map(\.name) == ["b", "c"])
        #expect(object["b"]?.string == "two")
        #expect(object["c"]?.boolean == true)
        #expect(object["a"] == nil)
    }

    @Test("Terminal control characters are escaped")
    func escapes() {
        let value: AppStoreJSON = .string("\u{1B}[31m\u{202E}\u{7F}\n")
        #expect(String(decoding: value.text(), as: UTF8.self) == "\"\\u001b[31m\\u202e\\u007f\\u000a\"")
    }
}
