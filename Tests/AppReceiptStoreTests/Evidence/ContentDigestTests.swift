#if Server
import AppReceiptKit
import AppReceiptTesting
import StoreTestSupport
import Testing

@testable import AppReceiptStore

@Suite("ContentDigest")
struct ContentDigestTests {
    @Test("A receipt has the same digest with other unsigned parts")
    func unsignedParts() throws {
        let made = TestReceipt()
        let receipt = try StoreFixtures.receipt(container: made.signed())
        let padded = try StoreFixtures.receipt(container: StoreFixtures.padded(made, bytes: 100))
        #expect(receipt.container != padded.container)
        #expect(ContentDigest.sha256(of: receipt) == ContentDigest.sha256(of: padded))
    }

    @Test("Receipts with other contents or another signer have other digests")
    func differences() throws {
        let made = TestReceipt()
        let receipts = [
            try StoreFixtures.receipt(container: made.signed()),
            try StoreFixtures.receipt(container: made.with { $0.appVersion = "2.0" }.signed()),
            try StoreFixtures.receipt(container: made.signed(by: .large), by: .large),
        ]
        #expect(Set(receipts.map { ContentDigest.sha256(of: $0) }).count == 3)
    }

    @Test("Equal bytes of different kinds have different digests")
    func kinds() {
        let kinds: [ContentDigest.Kind] = [.transaction, .renewal, .notification, .receipt, .container]
        #expect(Set(kinds.map { ContentDigest.sha256(of: [1, 2, 3], kind: $0) }).count == 5)
        #expect(ContentDigest.sha256(of: [1], kind: .renewal) != ContentDigest.sha256(of: [2], kind: .renewal))
    }
}
#endif
