#if Server
import AppReceiptKit
import AppReceiptTesting
import Testing

@testable import AppReceiptServer

@Suite("EvidenceIdentity")
struct EvidenceIdentityTests {
    @Test("A receipt has the same identity with other unsigned parts")
    func unsignedParts() throws {
        let made = TestReceipt()
        let receipt = try StoreFixtures.receipt(container: made.signed())
        let padded = try StoreFixtures.receipt(container: StoreFixtures.padded(made, bytes: 100))
        #expect(receipt.container != padded.container)
        #expect(EvidenceIdentity(receipt) == EvidenceIdentity(padded))
    }

    @Test("Receipts with other contents or another signer have other identities")
    func differences() throws {
        let made = TestReceipt()
        let receipts = [
            try StoreFixtures.receipt(container: made.signed()),
            try StoreFixtures.receipt(container: made.with { $0.appVersion = "2.0" }.signed()),
            try StoreFixtures.receipt(container: made.signed(by: .large), by: .large),
        ]
        #expect(Set(receipts.map { EvidenceIdentity($0) }).count == 3)
    }

    @Test("Equal bytes of different kinds have different identities")
    func kinds() {
        let kinds: [ContentDigest.Kind] = [.transaction, .renewal, .notification]
        #expect(Set(kinds.map { EvidenceIdentity([1, 2, 3] as [UInt8], kind: $0) }).count == 3)
        #expect(EvidenceIdentity([1] as [UInt8], kind: .renewal) != EvidenceIdentity([2] as [UInt8], kind: .renewal))
    }
}
#endif
