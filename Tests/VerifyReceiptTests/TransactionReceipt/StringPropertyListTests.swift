import AppReceiptKit
import AppReceiptTesting
import Testing

@testable import VerifyReceipt

@Suite("StringPropertyList")
struct StringPropertyListTests {
    private static func entries(_ text: String) throws -> [String] {
        try StringPropertyList(parsing: Array(text.utf8)[...]).entries.flatMap { [$0.key, $0.value] }
    }

    private static func refusal(_ bytes: [UInt8]) -> ReceiptError? {
        captured { () throws(ReceiptError) in try StringPropertyList(parsing: bytes[...]) }
    }

    @Test(
        "quoted keys and values are read in their order, with blanks anywhere between",
        arguments: [
            ("{}", []), (" {\n}\n", []), ("{\"a\"=\"b\";}", ["a", "b"]),
            ("{\n\t\"a\" = \"b\";\n\t\"c\" = \"d\";\n}", ["a", "b", "c", "d"]),
            ("{\r\n\"\" = \"\" ; }", ["", ""]), ("{\"a\" = \"{;=}\";}", ["a", "{;=}"]),
            ("{\"ä\" = \"日本\";}", ["ä", "日本"]),
        ])
    func reads(_ text: String, _ expected: [String]) throws {
        #expect(try Self.entries(text) == expected)
    }

    @Test("escapes stand for what they name")
    func escapes() throws {
        #expect(try Self.entries(#"{"a" = "\"\\\n\r\t\U00e9\U20AC";}"#) == ["a", "\"\\\n\r\té€"])
    }

    @Test(
        "everything else is malformed",
        arguments: [
            "", "{", "}", "{\"a\"", "{\"a\" =", "{\"a\" = \"b\"", "{\"a\" = \"b\"}", "{\"a\" = \"b\";", "{\"a\";}",
            "{a = \"b\";}", "{\"a\" = b;}", "{\"a\" = <00>;}", "{\"a\" = (\"b\");}", "{\"a\" = {};}", "{\"a\": \"b\"}",
            "{\"a\" = \"b\";;}", "{\"a\" = \"b\";} x", "{\"a\" = \"b\";}{}", "/* */{}", "{} // ", "{\"a\" = \"b;}",
            #"{"a" = "\x";}"#, #"{"a" = "\101";}"#, #"{"a" = "\U12";}"#, #"{"a" = "\Ud800";}"#, #"{"a" = "\"#, "\0{}",
        ])
    func malformed(_ text: String) {
        #expect(Self.refusal(Array(text.utf8))?.code == .transactionReceiptMalformed)
    }

    @Test("the error names the byte")
    func offset() {
        #expect(Self.refusal(Array("{\"a\" = b;}".utf8))?.offset == 7)
        #expect(Self.refusal(Array("{\"a\" = \"b\"; x}".utf8))?.offset == 12)
    }

    @Test("text that is not UTF-8 is malformed, not repaired")
    func invalidUTF8() {
        let bytes = Array("{\"a\" = \"".utf8) + [0xC3, 0x28] + Array("\";}".utf8)
        #expect(Self.refusal(bytes)?.code == .transactionReceiptMalformed)
    }

    @Test("a key that occurs twice is refused, however it is spelled; another spelling of a letter is another key")
    func duplicates() throws {
        let code = ReceiptError.Code.transactionReceiptKeyDuplicate
        #expect(Self.refusal(Array("{\"a\" = \"b\"; \"a\" = \"b\";}".utf8))?.code == code)
        #expect(Self.refusal(Array(#"{"a" = "b"; "\U0061" = "c";}"#.utf8))?.code == code)
        #expect(try Self.entries("{\"\u{E9}\" = \"1\"; \"e\u{301}\" = \"2\";}").count == 4)
    }

    @Test("it has at most 64 entries")
    func entryLimit() throws {
        func text(_ count: Int) -> [UInt8] {
            TestTransactionReceipt.propertyList((0..<count).map { .init("\($0)", "") })
        }
        #expect(try StringPropertyList(parsing: text(64)[...]).entries.count == 64)
        #expect(Self.refusal(text(65))?.code == .transactionReceiptMalformed)
    }
}
