import AppReceiptKit
import AppReceiptTesting
import Testing

@Test func purchaseIsInTheReceipt() throws {
    var receipt = TestReceipt(bundleIdentifier: "com.example.app")
    receipt.purchases = [TestPurchase("com.example.pro", transaction: "1", at: receipt.creationDate)]
    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
    let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
    let verified = try verifier.verify(try receipt.signed(), expecting: expectations)
    #expect(verified.receipt.purchases.map(\.productIdentifier) == ["com.example.pro"])
}
