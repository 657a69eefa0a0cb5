#if Server
import StoreTestSupport
import Testing

@testable import AppReceiptStore

@Suite("EvidenceChanges")
struct EvidenceChangesTests {
    /// Changes of purchase 1, which is stored as it is passed.
    private func changes(
        _ binding: AccountBinding = AccountBinding(),
        _ state: PurchaseState = PurchaseState([.test("active")], due: nil)
    ) throws -> EvidenceChanges {
        var changes = EvidenceChanges()
        changes[try .test()] = StoredPurchase(original: try .test(), binding: binding, state: state)
        return changes
    }

    @Test("Of several transfers in a write, the purchase belonged to the first account")
    func transfers() throws {
        var changes = try changes(AccountBinding(account: "ann"))
        for account in ["ben", "cat"] {
            _ = changes.rebind(try .test(), to: .test(account), because: EventCause(.request))
        }
        #expect(changes.events(at: 1).map(\.formerAccount) == ["ann"])
        #expect(changes.events(at: 1).map(\.account) == ["cat"])
        #expect(changes.boundPurchases.map(\.binding) == [AccountBinding(account: "cat")])
        #expect(changes.originals.isEmpty)
    }

    @Test("The first owner of a purchase that was reported is a transfer from none, and the same owner isn't one")
    func owners() throws {
        var changes = try changes()
        let token = AccountBinding.SignedToken(account: .test("ann"), signed: 1)
        let submissions: [(Account?, AccountBinding.SignedToken?, EventCause.Kind)] = [
            (nil, nil, .receipt), (.test("ann"), nil, .receipt), (nil, token, .transaction),
            (.test("ben"), nil, .receipt),
        ]
        let replays = try submissions.map { account, token, kind in
            changes.bind(try .test(), to: account, appAccountToken: token, because: EventCause(kind))
        }
        #expect(replays == [false, false, false, true])
        #expect(changes.events(at: 1).map(\.formerAccount) == [nil])
        #expect(changes.events(at: 1).map(\.cause.kind) == [.receipt])
    }

    @Test("A forgotten purchase is compared once an account submits it")
    func forgotten() throws {
        var changes = try changes(AccountBinding(), .forgotten(at: 1))
        changes.touch(try .test(), because: EventCause(.notification))
        let token = AccountBinding.SignedToken(account: .test("ann"), signed: 1)
        _ = changes.bind(try .test(), to: nil, appAccountToken: token, because: EventCause(.notification))
        var comparison = changes.comparison(at: 2)
        let none = comparison.next()
        #expect(none == nil)
        _ = changes.bind(try .test(), to: .test("ann"), appAccountToken: nil, because: EventCause(.receipt))
        comparison = changes.comparison(at: 2)
        let next = comparison.next()
        #expect(next?.originals == ["1"])
    }

    @Test("Withdrawn consents come before transfers, and transfers in the order of the purchases")
    func order() throws {
        var changes = try changes()
        changes[try .test("0")] = StoredPurchase(
            original: try .test("0"), state: PurchaseState([.test("owned")], due: nil))
        for identifier in ["1", "0"] {
            _ = changes.rebind(try .test(identifier), to: .test("ann"), because: EventCause(.request))
        }
        changes.rescindConsent(in: try ScopedOriginal.test().scope, because: EventCause(.notification))
        let events = changes.events(at: 1)
        #expect(events.map(\.type) == [.consentRescinded, .transferred, .transferred])
        #expect(events.map(\.originalTransactionIdentifier) == [nil, "0", "1"])
    }
}
#endif
