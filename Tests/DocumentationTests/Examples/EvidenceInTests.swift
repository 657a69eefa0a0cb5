import AppReceiptTesting
import AppStoreSignedData
import Testing

/// A stand-in for StoreKit: one transaction, and no subscription.
struct OneTransaction: DeviceEvidenceSource {
    let token: String

    func transactionTokens() async -> [String] { [token] }
    func statusTokens(ofSubscriptionGroup identifier: String) async -> [SubscriptionStatusTokens] { [] }
    func appTransactionToken() async -> String? { nil }
}

@Test func purchaseOnThisDeviceUnlocks() async throws {
    let purchase = TestTransaction("com.example.pro", transaction: "1")
    let evidence = await DeviceEvidence.current(
        from: OneTransaction(token: try purchase.signed()),
        expecting: SignedDataExpectations(
            bundleIdentifier: "com.example.app", environments: [.sandbox], appAppleIdentifier: .anyApp),
        verifier: SignedDataVerifier(anchors: try TestPKI.signedData.anchors))
    #expect(evidence.omitted.isEmpty)
    #expect(evidence.entitlements().isActive("com.example.pro"))
}
