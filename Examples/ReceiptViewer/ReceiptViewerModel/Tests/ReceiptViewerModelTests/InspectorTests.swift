import AppReceiptTesting
import Foundation
import ReceiptViewerModel
import Testing

@Suite("The inspector")
struct InspectorTests {
    private let inspector: Inspector

    init() throws { inspector = Inspector(anchors: try TestPKI.signedData.anchors) }

    @Test("A transaction is shown with its product and claims, also with a line break at its end")
    func transaction() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        for text in [token, token + "\n"] {
            let inspection = inspector.inspect(Array(text.utf8))
            #expect(inspection.kind == "Transaction")
            #expect(inspection.verdict.isValid)
            #expect(inspection.verdict.summary.hasPrefix("For com.example.app, sandbox."))
            #expect(inspection.products.map(\.productIdentifier) == ["com.example.pro"])
            #expect(inspection.attributes.contains { $0.name == "productId" && $0.value == "com.example.pro" })
        }
    }

    @Test("A notification's body is shown with the claims of the tokens in it")
    func notification() throws {
        var notification = TestNotification(type: .oneTimeCharge)
        notification.signedTransactionInfo = try TestTransaction("com.example.pro", transaction: "1").signed()
        let inspection = inspector.inspect(Array(#"{"signedPayload": "\#(try notification.signed())"}"#.utf8))
        #expect(inspection.kind == "Notification")
        #expect(inspection.verdict.isValid)
        #expect(inspection.attributes.contains { $0.name == "signedTransactionInfo.productId" })
    }

    @Test("A token that Apple didn't sign owns nothing")
    func forged() throws {
        let token = try TestTransaction("com.example.pro", transaction: "1").signed()
        let inspection = Inspector().inspect(Array(token.utf8))
        #expect(!inspection.verdict.isValid)
        #expect(inspection.products.isEmpty)
        #expect(inspection.checks.contains { $0.code == "root-not-trusted" })
    }

    @Test("Text that is neither a receipt nor a token has a failed check with a remedy")
    func text() {
        let inspection = Inspector().inspect(Array("Hello".utf8))
        #expect(inspection.kind == "Receipt")
        #expect(inspection.checks.first?.code == "input-unrecognized")
        #expect(inspection.verdict.remedy?.isEmpty == false)
    }
}
