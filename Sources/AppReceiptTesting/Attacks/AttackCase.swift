import AppReceiptKit

/// An attack without its target, which the list of attacks states once.
struct AttackCase<TestCase: Sendable>: Sendable {
    let name: String
    let code: ReceiptError.Code
    let check: ValidationCheck

    private let given: Change
    private let twin: Change
    private let harm: Change

    typealias Change = @Sendable (inout TestCase) throws -> Void

    /// - Parameters:
    ///   - name: A short, unique description.
    ///   - code: The code of the error that the attack must produce.
    ///   - check: The check that must fail; nil for that of `code`.
    ///   - given: The changes that attack and twin share.
    ///   - twin: The twin's harmless change.
    ///   - harm: The attack's change.
    init(
        _ name: String, code: ReceiptError.Code, check: ValidationCheck? = nil,
        given: @escaping Change = { _ in }, twin: @escaping Change = { _ in }, harm: @escaping Change
    ) {
        self.name = name
        self.code = code
        self.check = check ?? code.check
        self.given = given
        self.twin = twin
        self.harm = harm
    }

    /// Returns the test case that must be rejected.
    func forged(_ testCase: TestCase) throws(ReceiptError) -> TestCase { try changed(testCase, by: harm) }

    /// Returns the test case that must be accepted.
    func harmless(_ testCase: TestCase) throws(ReceiptError) -> TestCase { try changed(testCase, by: twin) }

    private func changed(_ testCase: TestCase, by change: Change) throws(ReceiptError) -> TestCase {
        var testCase = testCase
        try ReceiptError.changing {
            try given(&testCase)
            try change(&testCase)
        }
        return testCase
    }
}
