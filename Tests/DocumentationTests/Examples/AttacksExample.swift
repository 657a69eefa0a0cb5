import AppReceiptKit
import AppReceiptTesting
import Testing

/// Stands for your own way from bytes to a decision.
func opensTheDoor(_ bytes: [UInt8], _ verifier: ReceiptVerifier, _ expectations: Expectations) -> Bool {
    (try? verifier.verify(bytes, expecting: expectations)) != nil
}

@Test func nothingForgedGetsIn() throws {
    for attack in Attack.all {
        let forged = try attack.trial()
        #expect(!opensTheDoor(try forged.encoded(), try forged.verifier(), forged.expectations), "\(attack)")
        // What refuses everything proves nothing: the harmless twin must get in.
        let twin = try attack.twin()
        #expect(opensTheDoor(try twin.encoded(), try twin.verifier(), twin.expectations), "\(attack)")
    }
}
