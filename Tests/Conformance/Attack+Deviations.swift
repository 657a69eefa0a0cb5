import AppReceiptKit
package import AppReceiptTesting

extension Attack {
    /// Runs the attack and its twin against the library's own verifier, with `verify` and with `report`.
    ///
    /// - Returns: A sentence for each difference from the catalog. Empty if the attack is rejected with its code at its
    ///   check and the twin is accepted.
    package func deviations() -> [String] {
        do {
            let (attacking, twin) = (try testCase(), try twin())
            let (forged, harmless) = (try attacking.encoded(), try twin.encoded())
            let isDistinct = forged != harmless || twin.differsInConfiguration(from: attacking)
            return try rejection(of: forged, attacking) + acceptance(of: harmless, twin)
                + (isDistinct ? [] : ["The twin is the attack."])
        } catch {
            return ["The test case can't be made: \(error)"]
        }
    }

    private func rejection(of bytes: [UInt8], _ testCase: ReceiptTestCase) throws -> [String] {
        let verifier = try testCase.verifier()
        let report = verifier.report(bytes, expecting: testCase.expectations, now: testCase.now)
        let reported = check == .input ? ValidationCheck.container : check
        var expectations = [
            (report.failure?.code == code, "The report's code is \(text(report.failure?.code))."),
            (report.failure?.check == check, "The report's check is \(text(report.failure?.check))."),
            (!report.isValid, "The report is valid."),
            (
                report.firstFailure?.code == code.rawValue,
                "The failed check's code is \(text(report.firstFailure?.code))."
            ),
            (report.firstFailure?.check == reported, "The failed check is \(text(report.firstFailure?.check))."),
            (report.checks.map(\.check) == ValidationCheck.receiptChecks, "The report doesn't contain every check."),
        ]
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, expecting: testCase.expectations, now: testCase.now)
            expectations.append((false, "The attack is accepted."))
        } catch {
            expectations.append((error.code == code, "The verdict's code is \(error.code)."))
            expectations.append((error.check == check, "The verdict's check is \(error.check)."))
        }
        return expectations.filter { !$0.0 }.map(\.1)
    }

    private func acceptance(of bytes: [UInt8], _ testCase: ReceiptTestCase) throws -> [String] {
        let verifier = try testCase.verifier()
        var deviations: [String] = []
        let report = verifier.report(bytes, expecting: testCase.expectations, now: testCase.now)
        if !report.isValid { deviations.append("The twin's report fails with \(text(report.failure?.code)).") }
        do throws(ReceiptError) {
            _ = try verifier.verify(bytes, expecting: testCase.expectations, now: testCase.now)
        } catch {
            deviations.append("The twin is rejected with \(error.code).")
        }
        return deviations
    }

    private func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "missing" }
}

extension ReceiptTestCase {
    /// Whether the verifier or its expectations differ. Some attacks are valid receipts for another app, device or
    /// date.
    fileprivate func differsInConfiguration(from other: ReceiptTestCase) -> Bool {
        expectations != other.expectations || now != other.now || anchors != other.anchors
            || isSignedByXcode || other.isSignedByXcode
    }
}
