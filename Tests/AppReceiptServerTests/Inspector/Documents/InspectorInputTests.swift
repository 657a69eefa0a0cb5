#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing

@testable import AppReceiptServer

@Suite("InspectorInput")
struct InspectorInputTests {
    private func kind(_ bytes: [UInt8]) -> (kind: String, normalizations: [String]) {
        let input = InspectorInput(bytes, limits: .default)
        switch input.item {
        case .receipt: return ("receipt", input.evidence.normalizations)
        case .token: return ("signed-data", input.evidence.normalizations)
        case .transactionReceipt: return ("transaction-receipt", input.evidence.normalizations)
        }
    }

    private func kind(_ text: String) -> (kind: String, normalizations: [String]) { kind(Array(text.utf8)) }

    private func options(_ text: String) -> [String] {
        InspectorInput(Array(text.utf8), limits: .default).evidence.options
    }

    @Test("Receipts are recognized in every form, and what was decoded is reported")
    func receipts() throws {
        let bytes = try TestReceipt().signed()
        let base64 = Data(bytes).base64EncodedString()
        #expect(kind(base64) == ("receipt", []))
        #expect(kind("\"\(base64)\"") == ("receipt", ["quotation marks"]))
        #expect(kind("{\"receipt-data\": \"\(base64)\"}") == ("receipt", ["JSON member 'receipt-data'"]))
        #expect(
            kind("{\"status\": 0, \"latest_receipt\": \"\(base64)\"}").normalizations == [
                "JSON member 'latest_receipt'"
            ])
        #expect(kind(Array(try #require(base64.data(using: .utf16)))) == ("receipt", ["UTF-16"]))
        let binary = InspectorInput(bytes, limits: .default)
        #expect(binary.format == .der)
        #expect(binary.containerBytes == bytes[...])
        #expect(InspectorInput(Array("{\"receipt\": \"\(base64)\"}".utf8), limits: .default).format == .base64)
    }

    @Test("Tokens are recognized in every form")
    func tokens() throws {
        let token = try TestTransaction("pro", transaction: "1").signed()
        #expect(kind(token) == ("signed-data", []))
        #expect(kind("\n\(token)  ") == ("signed-data", []))
        #expect(kind("Bearer \(token)") == ("signed-data", ["\"Bearer\""]))
        for member in ["signedPayload", "signedTransactionInfo", "signedRenewalInfo", "token"] {
            #expect(kind("{\"\(member)\": \"\(token)\"}") == ("signed-data", ["JSON member '\(member)'"]))
        }
    }

    @Test("A transaction receipt is recognized as text, in base64 and in a request")
    func transactionReceipts() {
        let text = "{\n\t\"signature\" = \"AAAA\";\n\t\"purchase-info\" = \"AAAA\";\n}"
        let base64 = Data(text.utf8).base64EncodedString()
        #expect(kind(text).kind == "transaction-receipt")
        #expect(kind(base64).kind == "transaction-receipt")
        #expect(kind("{\"receipt-data\": \"\(base64)\"}").kind == "transaction-receipt")
    }

    @Test("The options of requests to this server are reported, but not Apple's members of the same name")
    func ignoredOptions() {
        #expect(options(#"{"receipt": "MIIA", "raw": true, "device-id": null, "bundle-id": "a.b"}"#) == ["bundle-id"])
        #expect(options(#"{"signedPayload": "x", "environment": "production"}"#) == ["environment"])
        #expect(options(#"{"receipt": "MIIA", "environment": ["sandbox"]}"#) == ["environment"])
        #expect(options(#"{"latest_receipt": "MIIA", "environment": "Sandbox"}"#).isEmpty)
        #expect(options("MIIA").isEmpty)
    }

    @Test("Other JSON isn't unwrapped")
    func otherJSON() {
        for text in [
            "{}", "[1]", "{\"receipt\": {}}", "{\"token\": 7}", "{\"receipt-data\": 7}", "\"", "{", "{\"a\":1,\"a\":2}",
        ] {
            #expect(kind(text) == ("receipt", []), "\(text)")
        }
    }

    @Test("The option to exclude old transactions is read")
    func excludeOldTransactions() {
        let text = #"{"receipt-data": "MIIA", "exclude-old-transactions": true}"#
        #expect(InspectorInput(Array(text.utf8), limits: .default).evidence.excludesOldTransactions)
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
