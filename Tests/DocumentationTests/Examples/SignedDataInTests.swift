import AppReceiptTesting
import AppStoreSignedData
import Testing

@Test func renewalIsRecognized() throws {
    // Signed data has a PKI of its own.
    let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
    let expectations = SignedDataExpectations(
        bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: .anyApp)
    var transaction = TestTransaction("com.example.plus", transaction: "2", original: "1")
    transaction.overrides = ["offerType": 3, "offerIdentifier": "WELCOME"]
    let notification = try TestNotification(type: .didRenew).with {
        $0.signedTransactionInfo = try transaction.signed()
    }
    let verified = try verifier.verifyNotification(notification.signed(), expecting: expectations)
    #expect(verified.transaction?.claims.offerType == .code)
}
