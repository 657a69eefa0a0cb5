import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

/// The code under test: a back end that asks the App Store whether a purchase is still valid.
@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
struct PurchaseCheck {
    let transport: any AppStoreServerTransport
    let verifier: SignedDataVerifier
    let authorization: @Sendable () throws -> String

    struct Unavailable: Error {}

    func isOwned(_ transaction: String) async throws -> Bool {
        let request = AppStoreServerHTTPRequest(
            method: .get, url: "https://api.storekit-sandbox.apple.com/inApps/v1/transactions/\(transaction)",
            headers: ["Authorization": try authorization()])
        let response = try await transport.send(request)
        if response.status == 404 { return false }
        guard response.status == 200 else { throw Unavailable() }
        let body = try JSONDecoder().decode([String: String].self, from: Data(response.body))
        let verified = try verifier.verifyTransaction(
            body["signedTransactionInfo"] ?? "",
            expecting: SignedDataExpectations(bundleIdentifier: "com.example.app", environments: [.sandbox]))
        return verified.claims.revocationDate == nil
    }
}

@available(macOS 13, iOS 16, tvOS 16, watchOS 9, *)
@Test func refundEndsOwnershipAndOutagesDoNot() async throws {
    let now = TestReceipt().creationDate  // a fixed date, so that the test never expires
    let store = FakeAppStoreServer(bundleIdentifier: "com.example.app", now: { now })
    var purchase = TestTransaction("com.example.pro", transaction: "1")
    store.add(purchase)

    let check = PurchaseCheck(
        transport: store, verifier: SignedDataVerifier(anchors: try TestPKI.signedData.anchors),
        authorization: { try store.key.authorization(for: "com.example.app", at: now) })
    #expect(try await check.isOwned("1"))
    #expect(try await !check.isOwned("2"))

    purchase.revocationDate = purchase.purchaseDate + 60
    store.add(purchase)
    #expect(try await !check.isOwned("1"))

    // The purchase is unknown while the App Store is out of order, and no forged response decides about it.
    store.inject(.html(status: 502))
    await #expect(throws: PurchaseCheck.Unavailable.self) { try await check.isOwned("1") }
    store.inject(.connectionCut)
    await #expect(throws: AppStoreServerTransportError.self) { try await check.isOwned("1") }
    for fault in [FakeAppStoreServer.Fault.forgedSignature, .foreignSigner, .otherApp("com.example.other")] {
        store.inject(fault)
        await #expect(throws: ReceiptError.self) { try await check.isOwned("1") }
    }
    #expect(store.requests.count == 8)
    #expect(store.requests.allSatisfy { $0.endpoint == .transaction && $0.authorizationFailure == nil })
}
