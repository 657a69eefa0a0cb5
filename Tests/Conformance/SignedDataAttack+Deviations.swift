import AppReceiptKit
package import AppReceiptTesting
import AppStoreSignedData

extension SignedDataAttack {
    /// Runs the attack and its twin against the library's own verifier, with `verify` and with `report`.
    ///
    /// - Returns: A sentence for each difference from the catalog. Empty if the attack is rejected with its code at its
    ///   check and the twin is accepted.
    package func deviations() -> [String] {
        do {
            return try rejection(of: testCase()) + acceptance(of: twin())
        } catch {
            return ["The test case can't be made: \(error)"]
        }
    }

    private func rejection(of testCase: SignedDataTestCase) throws -> [String] {
        let token = try testCase.encoded()
        let report = try testCase.report(token)
        var expectations = [
            (report.failure?.code == code, "The report's code is \(text(report.failure?.code))."),
            (report.failure?.check == check, "The report's check is \(text(report.failure?.check))."),
            (!report.isValid, "The report is valid."),
            (
                report.firstFailure?.code == code.rawValue,
                "The failed check's code is \(text(report.firstFailure?.code))."
            ),
            (
                report.firstFailure?.check.rawValue == check.rawValue,
                "The failed check is \(text(report.firstFailure?.check))."
            ),
            (report.checks.map(\.check) == ValidationCheck.signedDataChecks, "The report doesn't contain every check."),
        ]
        do throws(ReceiptError) {
            try testCase.verify(token)
            expectations.append((false, "The attack is accepted."))
        } catch {
            expectations.append((error.code == code, "The verdict's code is \(error.code)."))
            expectations.append((error.check == check, "The verdict's check is \(error.check)."))
        }
        return expectations.filter { !$0.0 }.map(\.1)
    }

    private func acceptance(of testCase: SignedDataTestCase) throws -> [String] {
        var deviations: [String] = []
        let token = try testCase.encoded()
        let report = try testCase.report(token)
        if !report.isValid { deviations.append("The twin's report fails with \(text(report.failure?.code)).") }
        do throws(ReceiptError) {
            try testCase.verify(token)
        } catch {
            deviations.append("The twin is rejected with \(error.code).")
        }
        return deviations
    }

    private func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "missing" }
}
