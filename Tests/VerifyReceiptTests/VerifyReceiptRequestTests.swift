import AppReceiptKit
import AppReceiptSupport
import Testing
import VerifyReceipt

@Suite("VerifyReceiptRequest")
struct VerifyReceiptRequestTests {
    private static func read(_ text: String) throws -> VerifyReceiptRequest {
        try VerifyReceiptRequest(parsing: Array(text.utf8))
    }

    private static func rejection(_ bytes: [UInt8]) -> ReceiptError? {
        captured { () throws(ReceiptError) in try VerifyReceiptRequest(parsing: bytes) }
    }

    private static func rejection(_ text: String) -> ReceiptError? { rejection(Array(text.utf8)) }

    @Test("The three members are parsed in any order, and others are ignored")
    func members() throws {
        let all = try Self.read(
            """
             { "exclude-old-transactions" : true, "x": [{"receipt-data": 1}, null], "password":"s\\u0065cret",
               "receipt-data": "MII\\/", "y": -1.5e3 }
            """)
        #expect(
            all == VerifyReceiptRequest(receiptData: "MII/", password: "secret", excludesOldTransactions: true))
        #expect(try Self.read(#"{"receipt-data":"MII"}"#) == VerifyReceiptRequest(receiptData: "MII"))
    }

    @Test("A byte order mark before the object is ignored")
    func byteOrderMark() throws {
        #expect(try Self.read("\u{FEFF}{\"receipt-data\":\"MII\"}") == VerifyReceiptRequest(receiptData: "MII"))
        #expect(Self.rejection("\u{FEFF}\u{FEFF}{\"receipt-data\":\"MII\"}")?.code == .requestMalformed)
    }

    @Test("Null is equivalent to absent")
    func null() throws {
        let request = try Self.read(#"{"receipt-data": "MII", "password": null, "exclude-old-transactions": null}"#)
        #expect(request == VerifyReceiptRequest(receiptData: "MII"))
        #expect(Self.rejection(#"{"receipt-data": null}"#)?.code == .receiptDataMissing)
    }

    @Test(
        "A Boolean may be a string or a number",
        arguments: [
            ("true", true), ("false", false), ("\"true\"", true), ("\"false\"", false), ("1", true), ("0", false),
        ])
    func booleans(_ text: String, _ expected: Bool) throws {
        let request = try Self.read("{\"receipt-data\": \"MII\", \"exclude-old-transactions\": \(text)}")
        #expect(request.excludesOldTransactions == expected)
    }

    @Test(
        "Other types are rejected with a code for the member",
        arguments: [
            (#"{"receipt-data": 1}"#, ReceiptError.Code.receiptDataMistyped),
            (#"{"receipt-data": ["MII"]}"#, .receiptDataMistyped),
            (#"{"receipt-data": {"a": 1}}"#, .receiptDataMistyped),
            (#"{"receipt-data": true}"#, .receiptDataMistyped),
            (#"{"receipt-data": "MII", "password": 12}"#, .requestMemberMistyped),
            (#"{"receipt-data": "MII", "password": true}"#, .requestMemberMistyped),
            (#"{"receipt-data": "MII", "exclude-old-transactions": "yes"}"#, .requestMemberMistyped),
            (#"{"receipt-data": "MII", "exclude-old-transactions": 2}"#, .requestMemberMistyped),
            (#"{"receipt-data": "MII", "exclude-old-transactions": 1.0}"#, .requestMemberMistyped),
            (#"{"receipt-data": "MII", "exclude-old-transactions": []}"#, .requestMemberMistyped),
            (#"{"receipt_data": "MII"}"#, .receiptDataMissing),
            (#"{"Receipt-Data": "MII"}"#, .receiptDataMissing),
        ])
    func types(_ text: String, _ code: ReceiptError.Code) {
        #expect(Self.rejection(text)?.code == code)
    }

    @Test(
        "Text that isn't one JSON object is rejected",
        arguments: [
            "", " ", "{", "[]", "\"MII\"", "null", "receipt-data=MII", #"{"receipt-data": "MII"} {}"#,
            #"{"receipt-data": "MII",}"#, #"{"receipt-data": "MII"#, #"{"receipt-data": 'MII'}"#,
            #"{receipt-data: "MII"}"#, "{\"receipt-data\": \"M\nII\"}", "{\"receipt-data\": \"MII\"}\0",
            #"{"receipt-data": "\ud800"}"#, #"{"receipt-data": "\x41"}"#,
            #"{"x": nul, "receipt-data": "MII"}"#,
        ])
    func malformed(_ text: String) {
        #expect(Self.rejection(text)?.code == .requestMalformed)
    }

    @Test("Invalid UTF-8 in names and known members is rejected")
    func invalidUTF8() {
        let receipt = Array("{\"receipt-data\": \"".utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        #expect(Self.rejection(receipt)?.code == .requestMalformed)
        let name = Array("{\"".utf8) + [0xFF] + Array("\": 1, \"receipt-data\": \"MII\"}".utf8)
        #expect(Self.rejection(name)?.code == .requestMalformed)
    }

    @Test(
        "A duplicate member is rejected, even if it is escaped or unknown",
        arguments: [
            #"{"receipt-data": "A", "receipt-data": "B"}"#, #"{"receipt-data": "A", "receipt\u002ddata": "A"}"#,
            #"{"receipt-data": "A", "password": null, "password": "b"}"#, #"{"x": 1, "receipt-data": "A", "x": 1}"#,
        ])
    func duplicates(_ text: String) {
        let error = Self.rejection(text)
        #expect(error?.code == .requestMemberDuplicate)
        #expect((error?.offset ?? 0) > 6)
    }

    @Test("Large, deeply nested and wide requests are parsed in linear time or rejected")
    func bounds() {
        let deep = String(repeating: "[", count: 1_000_000)
        #expect(Self.rejection("{\"x\": \(deep)")?.code == .requestMalformed)
        let nested = String(repeating: "[", count: 20) + String(repeating: "]", count: 20)
        #expect(Self.rejection("{\"x\": \(nested)}")?.code == .receiptDataMissing)
        let flat = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
        #expect(Self.rejection("{\(flat)}")?.code == .requestMalformed)
        let long = "[" + String(repeating: "0,", count: 500_000) + "0]"
        #expect(Self.rejection("{\"x\": \(long)}")?.code == .receiptDataMissing)
        var limits = ReceiptLimits()
        limits.maxInputBytes = 24
        let fits = Array(#"{"receipt-data": "MIIC"} "#.utf8)
        #expect(fits.count == 25)
        let error = captured { () throws(ReceiptError) in try VerifyReceiptRequest(parsing: fits, limits: limits) }
        #expect(error?.code == .requestTooLarge)
        let request = try? VerifyReceiptRequest(parsing: fits.dropLast(), limits: limits)
        #expect(request?.receiptData == "MIIC")
    }

    @Test("The description contains neither the receipt nor the secret")
    func description() {
        let request = VerifyReceiptRequest(receiptData: "MIIC", password: "hunter2")
        #expect("\(request)" == "VerifyReceiptRequest(4 characters, a password)")
    }
}
