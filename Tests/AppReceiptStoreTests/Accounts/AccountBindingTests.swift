#if Server
import Testing

@testable import AppReceiptStore

@Suite("AccountBinding")
struct AccountBindingTests {
    private static func token(_ name: String, _ signed: Int64) -> AccountBinding.SignedToken {
        AccountBinding.SignedToken(account: .test(name), signed: signed)
    }

    @Test("The first account that submits a purchase owns it, and others are replays")
    func first() {
        var binding = AccountBinding()
        let replays = ["ann", "ben"].map { binding.bind(to: .test($0), appAccountToken: nil) }
        #expect(replays == [false, true])
        #expect(binding.owner == "ann" && binding.isOwned(by: .test("ann")))
        binding.account = "hash of ann"
        #expect(binding.isOwned(by: .test("ann")))
    }

    @Test("The newest signed token owns a purchase, in every order of arrival")
    func tokens() {
        for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
            var binding = AccountBinding(account: "ann")
            for index in order {
                _ = binding.bind(
                    to: nil, appAccountToken: [Self.token("a", 1), Self.token("b", 2), Self.token("c", 2)][index])
            }
            #expect(binding == AccountBinding(token: "c", tokenSigned: 2, account: "ann"))
        }
    }

    @Test("Another account replaces the one that submitted a purchase, but not a signed one")
    func rebind() {
        var binding = AccountBinding(account: "ann")
        let isBound = binding.rebind(to: .test("ben"))
        #expect(isBound && binding == AccountBinding(account: "ben"))
        binding.token = "ann"
        let areBound = ["ben", "ann"].map { binding.rebind(to: .test($0)) }
        #expect(areBound == [false, true] && binding.account == "ben")
    }
}
#endif
