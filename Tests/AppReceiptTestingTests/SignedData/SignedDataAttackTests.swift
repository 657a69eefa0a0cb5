import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Testing

/// The catalogue of attacks on signed data, run against this library's own verifier.
@Suite("SignedDataAttack")
struct SignedDataAttackTests {
    @Test(
        "every attack is refused with its code, at its stage, by verdict and report alike",
        arguments: SignedDataAttack.all)
    func attackIsRefused(_ attack: SignedDataAttack) throws {
        let testCase = try attack.testCase()
        let report = try testCase.report()
        #expect(report.failure?.code == attack.code)
        #expect(report.failure?.stage == attack.stage)
        #expect(!report.isValid)
        #expect(report.firstFailure?.code == attack.code.rawValue)
        #expect(report.firstFailure?.check.rawValue == attack.stage.rawValue)
        #expect(report.checks.map(\.check) == Check.signedDataChecks)
        do {
            try testCase.verify()
            Issue.record("accepted")
        } catch let error as ReceiptError {
            #expect(error.code == attack.code)
            #expect(error.stage == attack.stage)
        }
    }

    @Test("the harmless twin of every attack passes, by verdict and report alike", arguments: SignedDataAttack.all)
    func twinPasses(_ attack: SignedDataAttack) throws {
        let twin = try attack.twin()
        let report = try twin.report()
        #expect(report.isValid, "\(report.failure?.description ?? "")")
        #expect(throws: Never.self) { try twin.verify() }
    }

    @Test("no two attacks have the same name, and every target is attacked")
    func catalogue() {
        let names = Dictionary(grouping: SignedDataAttack.all, by: \.name)
        #expect(names.filter { $0.value.count > 1 }.keys.sorted() == [])
        #expect(SignedDataAttack.all.count > 150)
        let order = SignedDataAttack.Target.allCases
        #expect(Set(SignedDataAttack.all.map(\.target)) == Set(order))
    }
}
