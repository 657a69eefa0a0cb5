import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("SubmittedReceipt")
struct SubmittedReceiptTests {
    private static func response(_ receiptData: String) throws -> VerifyReceiptResponse {
        let body = AppStoreJSON.object(["receipt-data": .string(receiptData)]).text()
        return try VerifyReceiptResponder.standard().response(to: body, now: requestDate)
    }

    private static func base64() throws -> String { Data(try TestReceipt().signed()).base64EncodedString() }

    @Test("Base64 may contain line breaks with whitespace around them", arguments: ["\n", "\r\n", "\n  ", "\t\n"])
    func lineBreaks(_ separator: String) throws {
        let text = try Self.base64()
        var lines: [Substring] = []
        var rest = text[...]
        while !rest.isEmpty {
            lines.append(rest.prefix(76))
            rest = rest.dropFirst(76)
        }
        let broken = lines.joined(separator: separator) + separator
        #expect(try Self.response(broken).body == Self.response(text).body)
    }

    @Test("A '+' that a form turned into a space is malformed, and the message mentions it")
    func plusBecameSpace() throws {
        let text = try Self.base64()
        #expect(text.contains("+"))
        let response = try Self.response(text.map { $0 == "+" ? " " : "\($0)" }.joined())
        #expect(response.status == .receiptMalformed)
        #expect(response.failure?.code == .inputBase64Malformed)
        #expect(response.failure?.message.contains("'+'") == true)
        #expect(response.containsOnlyStatus)
    }

    @Test("URL-safe base64, truncated base64 and base64 of base64 are malformed, each with its code")
    func otherForms() throws {
        let text = try Self.base64()
        let forURLs = text.map { $0 == "+" ? "-" : $0 == "/" ? "_" : "\($0)" }.joined()
        #expect(try Self.response(forURLs).failure?.code == .inputBase64Malformed)
        #expect(try Self.response(String(text.dropLast(3))).failure?.code == .inputBase64Malformed)
        let twice = Data(text.utf8).base64EncodedString()
        #expect(try Self.response(twice).failure?.code == .inputBase64Twice)
        for form in [forURLs, String(text.dropLast(3)), twice] {
            #expect(try Self.response(form).status == .receiptMalformed)
        }
    }

    @Test("The latest receipt is the submitted one in base64 on one line")
    func latestReceipt() throws {
        let start = instant("2024-06-20T00:00:00Z")
        let receipt = TestReceipt().with {
            $0.purchases = [TestPurchase(subscription: "monthly", transaction: "1", from: start, to: start + 86_400)]
        }
        let text = Data(try receipt.signed()).base64EncodedString()
        let broken = text.prefix(76) + "\r\n" + text.dropFirst(76)
        #expect(try Self.response(String(broken)).json["latest_receipt"]?.string == text)
    }
}
