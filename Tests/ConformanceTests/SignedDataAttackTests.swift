import AppReceiptTesting
import Conformance
import Testing

/// The catalog of attacks on signed data, run against this library's own verifier.
@Suite("SignedDataAttack")
struct SignedDataAttackTests {
    @Test(
        "Verdict and report reject every attack with its code at its check, and accept its twin",
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
