import AppReceiptKit
import AppReceiptTesting
import Foundation
import Testing

@Suite("ReceiptVerifier, text")
struct ReceiptVerifierTextTests {
    @Test("Base64 as text is verified like its bytes, and other text is rejected")
    func text() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        let receipt = try TestReceipt().signed()
        let base64 = Data(receipt).base64EncodedString()
        #expect(
            try verifier.verify(base64, expecting: expectations) == verifier.verify(receipt, expecting: expectations))
        #expect(verifier.report(base64, expecting: expectations).isValid)
        #expect(verifier.report("/tmp/receipt", expecting: expectations).failure != nil)
        #expect(verifier.report("", expecting: expectations).failure?.code == .inputEmpty)
    }
}
