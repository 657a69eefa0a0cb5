import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@Suite("EvidenceInput")
struct EvidenceInputTests {
    private let token = "eyJhbGciOiJFUzI1NiJ9.eyJhIjoxfQ.c2ln"

    private func items(_ text: String) -> [EvidenceInput.Item] { EvidenceInput(Array(text.utf8)).items }

    @Test("Binary data is an unchanged receipt, including whitespace at its ends")
    func binary() throws {
        let receipt = try TestReceipt().signed() + [0x0A]
        let input = EvidenceInput(receipt)
        #expect(input.items == [.receipt(receipt[...])])
        #expect(input.normalizations.isEmpty)
    }

    @Test("Text that is neither a token nor JSON is treated as a receipt")
    func text() {
        #expect(items("hello") == [.receipt(Array("hello".utf8)[...])])
        #expect(EvidenceInput([]).items == [.receipt([])])
    }

    @Test("A token is found inside whitespace, quotation marks and after the word Bearer")
    func tokens() {
        for text in [token, " \(token)\r\n", "\"\(token)\"", "'\(token)'", "Bearer \(token)", "\"Bearer \(token)\""] {
            #expect(items(text) == [.token(token)])
        }
    }

    @Test("Every token in an answer of the App Store Server API is found, in order")
    func serverAPI() {
        let other = token + "Mg"
        let text = """
            {"environment": "Sandbox", "data": [{"subscriptionGroupIdentifier": "1", "lastTransactions": [
            {"status": 1, "signedTransactionInfo": "\(token)", "signedRenewalInfo": "\(other)"}]}]}
            """
        #expect(items(text) == [.token(token), .token(other)])
        #expect(items("[\"\(token)\", \"\(other)\"]") == [.token(token), .token(other)])
    }

    @Test("JSON without a receipt or token is one unrecognized item")
    func foreignJSON() {
        #expect(items("{\"status\": 21003}") == [.receipt(Array("{\"status\": 21003}".utf8)[...])])
        #expect(items("{\"receipt\": {\"in_app\": []}}").count == 1)
        #expect(items("{").count == 1)
    }

    @Test("URL-safe base64 becomes standard base64 with padding")
    func urlSafeBase64() {
        let input = EvidenceInput(Array("MII-_w".utf8))
        #expect(input.items == [.receipt(Array("MII+/w==".utf8)[...])])
        #expect(input.normalizations == ["URL-safe base64"])
    }

    @Test("UTF-16 is decoded with and without a byte order mark")
    func utf16() throws {
        for encoding in [String.Encoding.utf16, .utf16BigEndian, .utf16LittleEndian] {
            let input = EvidenceInput(try #require(token.data(using: encoding)))
            #expect(input.items == [.token(token)])
            #expect(input.normalizations.first == "UTF-16")
        }
    }

    @Test("The number of items is limited, and each step is reported once")
    func bounds() {
        let many = "[" + Array(repeating: "\"\(token)\"", count: 10_500).joined(separator: ",") + "]"
        #expect(items(many).count == 10_000)
        let members = "[" + Array(repeating: "{\"token\":\"\(token)\"}", count: 50).joined(separator: ",") + "]"
        #expect(EvidenceInput(Array(members.utf8)).normalizations == ["JSON member 'token'"])
    }

    @Test("The depth of nested wrappers is limited")
    func depth() {
        var text = token
        for _ in 0..<20 { text = String(decoding: JSONValue.string(text).text(), as: UTF8.self) }
        #expect(items(text).count == 1)
        let nested = String(repeating: "[", count: 5000)
        #expect(items(nested).count == 1)
    }
}
