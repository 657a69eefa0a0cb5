import AppReceiptKit
import AppReceiptTesting
import Testing

/// Replace this with your own code that makes a decision from bytes.
func grantsAccess(_ bytes: [UInt8], _ verifier: ReceiptVerifier, _ expectations: Expectations) -> Bool {
    (try? verifier.verify(bytes, expecting: expectations)) != nil
}

@Test func forgeriesAreRejected() throws {
    for attack in Attack.all {
        let forged = try attack.testCase()
        #expect(!grantsAccess(try forged.encoded(), try forged.verifier(), forged.expectations), "\(attack)")
        // The harmless twin must be accepted: code that rejects everything would pass otherwise.
        let twin = try attack.twin()
        #expect(grantsAccess(try twin.encoded(), try twin.verifier(), twin.expectations), "\(attack)")
    }
}
