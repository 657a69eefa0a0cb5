#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@testable import AppReceiptServer

/// What people paste is told apart, and what stands around it taken off.
@Suite struct InspectorInputTests {
    private func kind(_ text: String) -> (kind: String, wrapper: InspectorInput.Wrapper?) {
        let input = InspectorInput(Array(text.utf8), limits: .default)
        switch input.kind {
        case .receipt: return ("receipt", input.wrapper)
        case .signedData: return ("signed-data", input.wrapper)
        case .transactionReceipt: return ("transaction-receipt", input.wrapper)
        }
    }

    @Test func receiptsInEveryWrapping() throws {
        let base64 = Data(try TestReceipt().signed()).base64EncodedString()
        #expect(kind(base64) == ("receipt", nil))
        #expect(kind("\"\(base64)\"") == ("receipt", .quotationMarks))
        #expect(kind("{\"receipt-data\": \"\(base64)\"}") == ("receipt", .verifyReceiptRequest))
        #expect(kind(" {\"password\": \"x\", \"receipt-data\": \"\(base64)\"}\n") == ("receipt", .verifyReceiptRequest))
        let bytes = try TestReceipt().signed()
        #expect(InspectorInput(bytes, limits: .default).format == .der)
    }

    @Test func tokensInEveryWrapping() throws {
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(kind(token) == ("signed-data", nil))
        #expect(kind("\n\(token)  ") == ("signed-data", nil))
        #expect(kind("Bearer \(token)") == ("signed-data", .bearer))
        for member in ["signedPayload", "signedTransactionInfo", "signedRenewalInfo", "signedAppTransactionInfo"] {
            #expect(kind("{\"\(member)\": \"\(token)\"}") == ("signed-data", .signedPayload))
        }
        // A body that should hold a token is judged as one, whatever is in it.
        #expect(kind("{\"signedPayload\": \"x\"}") == ("signed-data", .signedPayload))
    }

    @Test func requestsToThisServerAreUnwrapped() throws {
        let base64 = Data(try TestReceipt().signed()).base64EncodedString()
        let receipt = "{\"receipt\": \"\(base64)\", \"bundleIdentifier\": \"com.example.app\"}"
        #expect(kind(receipt) == ("receipt", .serverRequest))
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(kind("{\"token\": \"\(token)\"}") == ("signed-data", .serverRequest))
        let body = Array("{\"receipt\": \"\(base64)\"}".utf8)
        let input = InspectorInput(body, limits: .default)
        #expect(input.member == "receipt" && input.format == .base64)
        let others = #""raw": true, "device-id": null, "bundle-id": "com.example.app""#
        let asking = "{\"receipt\": \"\(base64)\", \(others)}"
        #expect(InspectorInput(Array(asking.utf8), limits: .default).notTaken == ["bundle-id"])
        #expect(input.notTaken.isEmpty)
        let signed = #"{"signedPayload": "x", "environment": "production"}"#
        #expect(InspectorInput(Array(signed.utf8), limits: .default).notTaken == ["environment"])
        // What stands where a token belongs is judged as one, whatever it is.
        #expect(kind("{\"token\": \"x\"}") == ("signed-data", .serverRequest))
    }

    @Test func otherJSONIsNoReceipt() {
        for text in [
            "{}", "[1]", "{\"receipt\": {}}", "{\"token\": 7}", "{\"receipt-data\": 7}", "\"", "{", "{\"a\":1,\"a\":2}",
        ] {
            #expect(kind(text) == ("receipt", nil), "\(text)")
        }
    }

    @Test func theWishForNewTransactionsOnlyIsKept() {
        let text = #"{"receipt-data": "MIIA", "exclude-old-transactions": true}"#
        #expect(InspectorInput(Array(text.utf8), limits: .default).excludesOldTransactions)
    }

    @Test func anyBytesAreAnInput() {
        for length in [0, 1, 2, 63, 64, 65, 1000] {
            for octet: UInt8 in [0x00, 0x20, 0x22, 0x30, 0x65, 0x7B, 0x80, 0xEF, 0xFF] {
                let input = InspectorInput([UInt8](repeating: octet, count: length), limits: .default)
                #expect(input.der == nil || octet == 0x30)
            }
        }
    }
}
#endif
