import AppReceiptKit
import AppReceiptTesting
import Testing

@Test func receiptOfAnotherAppIsRejected() throws {
    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    let receipt = TestReceipt(
        bundleIdentifier: "com.example.app", purchases: [TestPurchase("com.example.pro", transaction: "1")])
    let verified = try verifier.verify(try receipt.signed(), expecting: expectations)
    #expect(verified.entitlements().isActive("com.example.pro"))

    let other = try TestReceipt(bundleIdentifier: "com.example.other").signed()
    #expect(verifier.report(other, expecting: expectations).failure?.code == .bundleIdentifierMismatch)
}
