import AppReceiptKit
import AppReceiptTesting
import TestSupport
import Testing

@Suite("ReceiptTestCase")
struct ReceiptTestCaseTests {
    private struct OtherError: Error {}

    @Test("An error of a change is test-change-failed, unless it is a ReceiptError")
    func changes() throws {
        let other = ReceiptTestCase.with { $0.container = { _ in throw OtherError() } }
        #expect(captured { () throws(ReceiptError) in try other.encoded() }?.code == .testChangeFailed)
        let malformed = ReceiptTestCase.with {
            $0.bytes = { _ in _ = try TestKey(.rsa, insecure: "").publicKeyInfo }
        }
        #expect(captured { () throws(ReceiptError) in try malformed.encoded() }?.code == .testKeyMalformed)
    }

    @Test("Making and verifying a receipt throw errors of one type")
    func oneErrorType() throws {
        func code(_ receipt: TestReceipt) -> ReceiptError.Code? {
            do throws(ReceiptError) {
                let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
                let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
                _ = try verifier.verify(try receipt.signed(), expecting: expectations)
                return nil
            } catch {
                return error.code
            }
        }
        #expect(code(TestReceipt()) == nil)
        #expect(code(TestReceipt(bundleIdentifier: "com.example.other")) == .bundleIdentifierMismatch)
    }
}
