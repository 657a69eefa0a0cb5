import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import VerifyReceipt

/// Answers requests to verifyReceipt.
enum RequestResponses {
    private static let responder: VerifyReceiptResponder = {
        guard let anchors = try? TestPKI.standard.anchors else { preconditionFailure() }
        return VerifyReceiptResponder(verifier: ReceiptVerifier(anchors: anchors), environments: .both)
    }()
    private static let now = Date(timeIntervalSince1970: 1_735_689_600)

    static func run(_ bytes: [UInt8]) {
        respond(to: bytes)
        // The bytes as a receipt, for example a transaction receipt, which isn't accepted here.
        let base64 = Data(bytes).base64EncodedString()
        let response = respond(to: Array("{\"receipt-data\":\"\(base64)\"}".utf8))
        precondition(response.status != .valid || (try? ReceiptInput(bytes)) != nil)
    }

    @discardableResult
    private static func respond(to body: [UInt8]) -> VerifyReceiptResponse {
        let response = responder.response(to: body, now: now)
        // The body is JSON that starts with the status, and only status 0 has a receipt.
        guard let json = try? AppStoreJSON(parsing: response.body[...]).object else { preconditionFailure() }
        precondition(json.members.first?.name == "status")
        precondition((response.failure == nil) == (response.status == .valid))
        precondition(response.status == .valid || json["receipt"] == nil)
        return response
    }

    static func seeds() throws -> [[UInt8]] {
        let receipt = Data(try TestReceipt().signed()).base64EncodedString()
        let requests = [
            "{\"receipt-data\":\"\(receipt)\",\"password\":\"x\",\"exclude-old-transactions\":true}",
            "{\"receipt-data\":\"\"}", "{\"receipt-data\":7}", "[]", "{\"receipt-data\":\"e30=\",\"receipt-data\":1}",
            "{\n\t\"signature\" = \"AA==\";\n\t\"purchase-info\" = \"e30=\";\n\t\"environment\" = \"Sandbox\";\n}",
        ]
        return requests.map { Array($0.utf8) } + [
            try TestTransactionReceipt("com.example.plus", transaction: "1").signed()
        ]
    }
}
