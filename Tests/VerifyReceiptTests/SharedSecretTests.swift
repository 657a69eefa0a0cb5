import AppReceiptKit
import Testing
import VerifyReceipt

@Suite("SharedSecret")
struct SharedSecretTests {
    @Test("only the secret itself fits, byte by byte")
    func matches() {
        let secret = SharedSecret("caf\u{E9}")
        #expect(secret.matches("caf\u{E9}"))
        for other in ["cafe\u{301}", "caf\u{E9} ", "caf", "Caf\u{E9}", "", "caf\u{E9}\0"] {
            #expect(!secret.matches(other), "\(other)")
        }
    }

    @Test("an empty secret fits no password, so that a setting left empty opens nothing")
    func emptyFitsNothing() throws {
        #expect(!SharedSecret("").matches(""))
        let responder = try VerifyReceiptResponder.standard(secret: SharedSecret(""))
        #expect(responder.answer(request([1], ["password": ""]), now: asked).status == .sharedSecretMismatch)
    }

    @Test("nothing of it is shown")
    func isHidden() {
        let secret = SharedSecret("hunter2")
        #expect("\(secret)" == "SharedSecret")
        var dumped = ""
        dump(secret, to: &dumped)
        #expect(!dumped.contains("hunter2") && dumped.count < 40)
    }
}
