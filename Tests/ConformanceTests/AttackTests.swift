import AppReceiptKit
import AppReceiptTesting
import Conformance
import TestSupport
import Testing

/// The catalog of attacks, run against this library's own verifier.
@Suite("Attack")
struct AttackTests {
    @Test(
        "Verdict and report reject every attack with its code at its check, and accept its twin",
        arguments: Attack.all)
    func conforms(_ attack: Attack) {
        #expect(attack.deviations() == [])
    }

    @Test("Attacks in independentOfConfiguration need only the standard root, the app and the sandbox")
    func independentOfConfiguration() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        let now = ReceiptTestCase().now
        for attack in Attack.independentOfConfiguration {
            let bytes = (forged: try attack.testCase().encoded(), twin: try attack.twin().encoded())
            let forged = captured { () throws(ReceiptError) in
                try verifier.verify(bytes.forged, expecting: expectations, now: now)
            }
            #expect(forged?.code == attack.code, "\(attack)")
            let twin = captured { () throws(ReceiptError) in
                try verifier.verify(bytes.twin, expecting: expectations, now: now)
            }
            #expect(twin == nil, "\(attack)")
        }
        #expect(Attack.independentOfConfiguration.count > 250)
        let targets = Set(Attack.independentOfConfiguration.map(\.target))
        #expect(targets.isSuperset(of: [.input, .encoding, .container, .payload, .certificates, .chain, .signature]))
    }

    @Test("No two attacks have the same name, and every target is attacked")
    func catalog() {
        let names = Dictionary(grouping: Attack.all, by: \.name)
        #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
        #expect(Attack.all.count > 350)
        #expect(Set(Attack.all.map(\.target)) == Set(Attack.Target.allCases))
        #expect(Attack.all.map(\.target) == Attack.all.map(\.target).sorted { $0.order < $1.order })
    }
}

extension Attack.Target {
    fileprivate var order: Int { Attack.Target.allCases.firstIndex(of: self) ?? 0 }
}
