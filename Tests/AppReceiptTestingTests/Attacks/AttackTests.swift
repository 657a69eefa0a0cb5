import AppReceiptKit
import AppReceiptTesting
import Testing

/// The catalogue of attacks, run against this library's own verifier.
@Suite("Attack")
struct AttackTests {
    @Test("every attack is refused with its code, at its stage, by verdict and report alike", arguments: Attack.all)
    func attackIsRefused(_ attack: Attack) throws {
        let testCase = try attack.testCase()
        let bytes = try testCase.encoded()
        let verifier = try testCase.verifier()
        let report = verifier.report(bytes, expecting: testCase.expectations, now: testCase.now)
        #expect(report.failure?.code == attack.code)
        #expect(report.failure?.stage == attack.stage)
        #expect(!report.isValid)
        #expect(report.firstFailure?.code == attack.code.rawValue)
        let check = attack.stage == .input ? Check.container : Check(rawValue: attack.stage.rawValue)
        #expect(report.firstFailure?.check == check)
        #expect(report.checks.map(\.check) == Check.receiptChecks)
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, expecting: testCase.expectations, now: testCase.now)
            Issue.record("accepted")
        } catch {
            #expect(error.code == attack.code)
            #expect(error.stage == attack.stage)
        }
    }

    @Test("the harmless twin of every attack passes, by verdict and report alike", arguments: Attack.all)
    func twinPasses(_ attack: Attack) throws {
        let twin = try attack.twin()
        let bytes = try twin.encoded()
        #expect(try bytes != attack.testCase().encoded() || twin.differsInSetting(from: attack.testCase()))
        let verifier = try twin.verifier()
        #expect(verifier.report(bytes, expecting: twin.expectations, now: twin.now).isValid)
        #expect(throws: Never.self) {
            try verifier.verify(bytes, expecting: twin.expectations, now: twin.now)
        }
    }

    @Test("attacks in their bytes alone need nothing but the standard root, its app and the sandbox")
    func inBytesAlone() throws {
        let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
        let expectations = Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])
        for attack in Attack.inBytesAlone {
            let forged = verifier.report(
                try attack.testCase().encoded(), expecting: expectations, now: ReceiptTestCase().now)
            #expect(forged.failure?.code == attack.code, "\(attack)")
            let twin = verifier.report(try attack.twin().encoded(), expecting: expectations, now: ReceiptTestCase().now)
            #expect(twin.isValid, "\(attack)")
        }
        #expect(Attack.inBytesAlone.count > 250)
        let targets = Set(Attack.inBytesAlone.map(\.target))
        #expect(targets.isSuperset(of: [.input, .encoding, .container, .payload, .certificates, .chain, .signature]))
    }

    @Test("no two attacks have the same name, and every target is attacked")
    func catalogue() {
        let names = Dictionary(grouping: Attack.all, by: \.name)
        #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
        #expect(Attack.all.count > 350)
        #expect(Set(Attack.all.map(\.target)) == Set(Attack.Target.allCases))
        #expect(Attack.all.map(\.target) == Attack.all.map(\.target).sorted { $0.order < $1.order })
    }
}

extension ReceiptTestCase {
    /// Whether the verifier or its expectations are others. Some attacks are good receipts presented to somebody else.
    fileprivate func differsInSetting(from other: ReceiptTestCase) throws -> Bool {
        expectations != other.expectations || now != other.now || anchors != other.anchors
            || signsLikeXcode || other.signsLikeXcode
    }
}

extension Attack.Target {
    fileprivate var order: Int { Attack.Target.allCases.firstIndex(of: self) ?? 0 }
}
