#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("InspectorInput")
struct InspectorInputTests {
    private func kind(_ text: String) -> (kind: String, wrapper: InspectorInput.Wrapper?) {
        let input = InspectorInput(Array(text.utf8), limits: .default)
        switch input.kind {
        case .receipt: return ("receipt", input.wrapper)
        case .signedData: return ("signed-data", input.wrapper)
        case .transactionReceipt: return ("transaction-receipt", input.wrapper)
        }
    }

    @Test("Receipts are recognized in every wrapper")
    func receipts() throws {
        let base64 = Data(try TestReceipt().signed()).base64EncodedString()
        #expect(kind(base64) == ("receipt", nil))
        #expect(kind("\"\(base64)\"") == ("receipt", .quotationMarks))
        #expect(kind("{\"receipt-data\": \"\(base64)\"}") == ("receipt", .verifyReceiptRequest))
        #expect(kind(" {\"password\": \"x\", \"receipt-data\": \"\(base64)\"}\n") == ("receipt", .verifyReceiptRequest))
        let bytes = try TestReceipt().signed()
        #expect(InspectorInput(bytes, limits: .default).format == .der)
    }

    @Test("Signed data is recognized in every wrapper")
    func tokens() throws {
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(kind(token) == ("signed-data", nil))
        #expect(kind("\n\(token)  ") == ("signed-data", nil))
        #expect(kind("Bearer \(token)") == ("signed-data", .bearer))
        for member in ["signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"] {
            #expect(kind("{\"\(member)\": \"\(token)\"}") == ("signed-data", .signedPayload))
        }
        // The member determines the kind, independent of its text.
        #expect(kind("{\"signedPayload\": \"x\"}") == ("signed-data", .signedPayload))
    }

    @Test("Requests to this server are unwrapped, and their options reported")
    func serverRequests() throws {
        let base64 = Data(try TestReceipt().signed()).base64EncodedString()
        let receipt = "{\"receipt\": \"\(base64)\", \"bundleIdentifier\": \"com.example.app\"}"
        #expect(kind(receipt) == ("receipt", .serverRequest))
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(kind("{\"token\": \"\(token)\"}") == ("signed-data", .serverRequest))
        let body = Array("{\"receipt\": \"\(base64)\"}".utf8)
        let input = InspectorInput(body, limits: .default)
        #expect(input.member == "receipt" && input.format == .base64)
        let others = #""raw": true, "device-id": null, "bundle-id": "com.example.app""#
        let request = "{\"receipt\": \"\(base64)\", \(others)}"
        #expect(InspectorInput(Array(request.utf8), limits: .default).ignoredOptions == ["bundle-id"])
        #expect(input.ignoredOptions.isEmpty)
        let signed = #"{"signedPayload": "x", "environment": "production"}"#
        #expect(InspectorInput(Array(signed.utf8), limits: .default).ignoredOptions == ["environment"])
        // The member determines the kind, independent of its text.
        #expect(kind("{\"token\": \"x\"}") == ("signed-data", .serverRequest))
    }

    @Test("Other JSON has no wrapper")
    func otherJSON() {
        for text in [
            "{}", "[1]", "{\"receipt\": {}}", "{\"token\": 7}", "{\"receipt-data\": 7}", "\"", "{", "{\"a\":1,\"a\":2}",
        ] {
            #expect(kind(text) == ("receipt", nil), "\(text)")
        }
    }

    @Test("The option to exclude old transactions is read")
    func excludeOldTransactions() {
        let text = #"{"receipt-data": "MIIA", "exclude-old-transactions": true}"#
        #expect(InspectorInput(Array(text.utf8), limits: .default).excludesOldTransactions)
    }

    @Test("Any bytes are an input")
    func anyBytes() {
        for length in [0, 1, 2, 63, 64, 65, 1000] {
            for byte: UInt8 in [0x00, 0x20, 0x22, 0x30, 0x65, 0x7B, 0x80, 0xEF, 0xFF] {
                let input = InspectorInput([UInt8](repeating: byte, count: length), limits: .default)
                #expect(input.containerBytes == nil || byte == 0x30)
            }
        }
    }
}
#endif
