import AppReceiptTesting
import TestSupport
import Testing

@testable import AppReceiptParsing

@Suite("StringPropertyList")
struct StringPropertyListTests {
    private static func entries(_ text: String) throws -> [String] {
        try StringPropertyList(parsing: Array(text.utf8)[...]).entries.flatMap { [$0.key, $0.value] }
    }

    private static func rejection(_ bytes: [UInt8]) -> ReceiptError? {
        captured { () throws(ReceiptError) in try StringPropertyList(parsing: bytes[...]) }
    }

    @Test(
        "Quoted keys and values are parsed in order, with any whitespace between them",
        arguments: [
            ("{}", []), (" {\n}\n", []), ("{\"a\"=\"b\";}", ["a", "b"]),
            ("{\n\t\"a\" = \"b\";\n\t\"c\" = \"d\";\n}", ["a", "b", "c", "d"]),
            ("{\r\n\"\" = \"\" ; }", ["", ""]), ("{\"a\" = \"{;=}\";}", ["a", "{;=}"]),
            ("{\"ä\" = \"日本\";}", ["ä", "日本"]),
        ])
    func reads(_ text: String, _ expected: [String]) throws {
        #expect(try Self.entries(text) == expected)
    }

    @Test("Escapes are decoded")
    func escapes() throws {
        #expect(try Self.entries(#"{"a" = "\"\\\n\r\t\U00e9\U20AC";}"#) == ["a", "\"\\\n\r\té€"])
    }

    @Test(
        "Any other syntax is malformed",
        arguments: [
            "", "{", "}", "{\"a\"", "{\"a\" =", "{\"a\" = \"b\"", "{\"a\" = \"b\"}", "{\"a\" = \"b\";", "{\"a\";}",
            "{a = \"b\";}", "{\"a\" = b;}", "{\"a\" = <00>;}", "{\"a\" = (\"b\");}", "{\"a\" = {};}", "{\"a\": \"b\"}",
            "{\"a\" = \"b\";;}", "{\"a\" = \"b\";} x", "{\"a\" = \"b\";}{}", "/* */{}", "{} // ", "{\"a\" = \"b;}",
            #"{"a" = "\x";}"#, #"{"a" = "\101";}"#, #"{"a" = "\U12";}"#, #"{"a" = "\Ud800";}"#, #"{"a" = "\"#, "\0{}",
        ])
    func malformed(_ text: String) {
        #expect(Self.rejection(Array(text.utf8))?.code == .transactionReceiptMalformed)
    }

    @Test("The error contains the offset")
    func offset() {
        #expect(Self.rejection(Array("{\"a\" = b;}".utf8))?.offset == 7)
        #expect(Self.rejection(Array("{\"a\" = \"b\"; x}".utf8))?.offset == 12)
    }

    @Test("Text that isn't UTF-8 is malformed, not repaired")
    func invalidUTF8() {
        let bytes = Array("{\"a\" = \"".utf8) + [0xC3, 0x28] + Array("\";}".utf8)
        #expect(Self.rejection(bytes)?.code == .transactionReceiptMalformed)
    }

    @Test("A duplicate key is rejected even if it is escaped, but canonically equivalent keys are distinct")
    func duplicates() throws {
        let code = ReceiptError.Code.transactionReceiptKeyDuplicate
        #expect(Self.rejection(Array("{\"a\" = \"b\"; \"a\" = \"b\";}".utf8))?.code == code)
        #expect(Self.rejection(Array(#"{"a" = "b"; "\U0061" = "c";}"#.utf8))?.code == code)
        #expect(try Self.entries("{\"\u{E9}\" = \"1\"; \"e\u{301}\" = \"2\";}").count == 4)
    }

    @Test("A property list has at most 64 entries")
    func entryLimit() throws {
        func text(_ count: Int) -> [UInt8] {
            TestTransactionReceipt.propertyList((0..<count).map { .init(key: "\($0)", value: "") })
        }
        #expect(try StringPropertyList(parsing: text(64)[...]).entries.count == 64)
        #expect(Self.rejection(text(65))?.code == .transactionReceiptMalformed)
    }
}
