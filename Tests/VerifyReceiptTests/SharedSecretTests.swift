import AppReceiptKit
import AppReceiptSupport
import Foundation
import Testing
import VerifyReceipt

@Suite("SharedSecret")
struct SharedSecretTests {
    @Test("Only the secret itself matches, byte by byte")
    func matches() {
        let secret = SharedSecret("caf\u{E9}")
        #expect(secret.matches("caf\u{E9}"))
        for other in ["cafe\u{301}", "caf\u{E9} ", "caf", "Caf\u{E9}", "", "caf\u{E9}\0"] {
            #expect(!secret.matches(other), "\(other)")
        }
    }

    @Test("An empty secret matches no password, so that an empty setting doesn't disable the check")
    func emptyMatchesNothing() throws {
        #expect(!SharedSecret("").matches(""))
        let responder = try VerifyReceiptResponder.standard(secret: SharedSecret(""))
        #expect(
            responder.response(to: request([1], ["password": ""]), now: requestDate).status == .sharedSecretMismatch)
    }

    @Test("The description and the mirror don't reveal the secret")
    func isHidden() {
        let secret = SharedSecret("hunter2")
        #expect("\(secret)" == "SharedSecret")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("hunter2"))
        #expect(dumped.count < 40)
    }
}
