import AppReceiptTesting
import Conformance
import Testing

/// The catalog of attacks on signed data, run against this library's own verifier.
@Suite("SignedDataAttack")
struct SignedDataAttackTests {
    @Test(
        "Every attack is rejected with its code at its stage, and its twin accepted, by verdict and report alike",
        arguments: SignedDataAttack.all)
    func conforms(_ attack: SignedDataAttack) {
        #expect(attack.deviations() == [])
    }

    @Test("No two attacks have the same name, and every target is attacked")
    func catalog() {
        let names = Dictionary(grouping: SignedDataAttack.all, by: \.name)
        #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
        #expect(SignedDataAttack.all.count > 150)
        #expect(Set(SignedDataAttack.all.map(\.target)) == Set(SignedDataAttack.Target.allCases))
    }
}
