import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import Testing

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@Test func clientRepeatsAfterOutagesAndRejectsForgeries() async throws {
    let now = TestReceipt().creationDate
    let store = FakeAppStoreServer(bundleIdentifier: "com.example.app", now: { now })
    store.add(
        TestTransaction("com.example.plus", transaction: "1", at: now - 86_400, until: now + 86_400),
        TestRenewalInfo("com.example.plus", original: "1"))

    let key = try AppStoreServerKey(
        pem: store.key.pem, keyIdentifier: store.key.keyIdentifier, issuerIdentifier: store.key.issuerIdentifier)
    var configuration = AppStoreServerConfiguration()
    configuration.clock = AppStoreServerClock(now: { now }, sleep: { _ in })  // pauses between repetitions don't wait
    let client = try AppStoreServerClient(
        key: key, bundleIdentifier: "com.example.app", environments: [.sandbox], transport: store,
        verifier: SignedDataVerifier(anchors: try TestPKI.signedData.anchors), configuration: configuration)

    store.inject(.html(status: 502))
    let customer = try await client.purchases(ofCustomer: "1")
    #expect(customer.entitlements.active.map(\.productIdentifier) == ["com.example.plus"])
    #expect(store.requests.map(\.endpoint) == [.history, .history, .statuses])

    store.inject(.forgedSignature)
    let forged = await #expect(throws: AppStoreServerError.self) { try await client.transaction("1") }
    #expect(forged?.code == .verificationFailed)

    store.inject(.html(status: 503), times: nil)
    let outage = await #expect(throws: AppStoreServerError.self) { try await client.transaction("1") }
    #expect(outage?.isRetryable == true)
}
