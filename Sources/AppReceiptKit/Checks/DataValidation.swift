package import AppReceiptParsing
package import AppReceiptSupport

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// A receipt or token during its validation.
///
/// A conforming type implements each check of its kind of data; the functions of this protocol run them. Verification and reports run the
/// same checks in the same order, each once.
package protocol DataValidation {
    /// The verified data.
    associatedtype Value: Sendable
    /// The contents of the data, verified or not.
    associatedtype Contents: Sendable

    /// The words for this kind of data in messages.
    static var wording: CheckWording { get }

    /// The checks, in the order in which they run.
    static var checks: [ValidationCheck] { get }

    /// Runs one check.
    mutating func run(_ check: ValidationCheck) throws(ReceiptError) -> CheckStatus

    /// Returns the data if its signature is valid, whether or not it meets the expectations.
    func authenticated() throws(ReceiptError) -> Value

    /// The contents, nil if they couldn't be read.
    var sharedContents: SharedValue<Contents>? { get }
    /// The app that the data claims to be for, nil if it is absent.
    var claimedBundleIdentifier: String? { get }
    /// The expected app.
    var expectedBundleIdentifier: Expectations.BundleIdentifier { get }
    /// The name of the environment that the data claims, nil if it is absent.
    var claimedEnvironmentName: String? { get }
    /// The accepted environments.
    var expectedEnvironments: Expectations.Environments { get }
    /// The environment that the data claims, nil if it is absent or unknown.
    var claimedEnvironment: ReceiptEnvironment.Base? { get }
    /// The date at which the certificates are validated.
    var validationDate: Date? { get }
    /// The validated chain, nil before its check passed.
    var chain: CertificateChain? { get }
    /// Whether the signature was verified.
    var isSignatureValid: Bool { get }
    /// Returns the certificates with their roles in the chain.
    var certificateSummaries: @Sendable () -> [CertificateSummary] { get }
    /// The current time.
    var now: Date { get }

    func passedMessage(_ check: ValidationCheck) -> String
    func notRequestedMessage(_ check: ValidationCheck) -> String
    func notApplicableMessage(_ check: ValidationCheck) -> String
    func failureMessage(_ check: ValidationCheck, _ error: ReceiptError) -> String
}

extension DataValidation {
    /// Runs the checks up to the first failure.
    ///
    /// - Throws: The first failure.
    package mutating func verify() throws(ReceiptError) -> Value {
        for check in Self.checks { _ = try run(check) }
        return try authenticated()
    }

    /// Runs every check and reports on all of them.
    package mutating func report() -> ValidationReport<Value, Contents> {
        // Separate statements: `report(on: runAll())` would copy `self` before the checks run.
        let completions = runAll()
        return report(on: completions)
    }

    /// Runs every check, and reports on them only if one fails. This avoids the cost of the report on valid data.
    package mutating func verifyOrReport() -> VerificationOutcome<Value, Contents> {
        let completions = runAll()
        do throws(ReceiptError) {
            for completion in completions { _ = try completion.get() }
            return .verified(try authenticated())
        } catch {
            return .failed(report(on: completions))
        }
    }

    private mutating func runAll() -> [Result<CheckStatus, ReceiptError>] {
        Self.checks.map { check in Result { () throws(ReceiptError) in try run(check) } }
    }

    private func report(on completions: [Result<CheckStatus, ReceiptError>]) -> ValidationReport<Value, Contents> {
        let authenticated = Result { () throws(ReceiptError) in try self.authenticated() }
        var failure: ReceiptError?
        for case .failure(let error) in completions where failure == nil { failure = error }
        let environment = chain?.isXcode == true ? .xcode : claimedEnvironment
        return ValidationReport(
            result: failure.map { .failure($0) } ?? authenticated,
            checks: zip(Self.checks, completions).map(result),
            sharedContents: sharedContents,
            certificateSummaries: certificateSummaries,
            validationDate: validationDate,
            provenEnvironment: isSignatureValid ? environment : nil,
            authenticated: try? authenticated.get(),
            now: now)
    }

    private func result(_ check: ValidationCheck, _ completion: Result<CheckStatus, ReceiptError>) -> CheckResult {
        switch completion {
        case .success(let completion): CheckResult(check, completion, message: message(check, completion))
        case .failure(let error): CheckResult(check, error, message: failureMessage(check, error))
        }
    }

    private func message(_ check: ValidationCheck, _ completion: CheckStatus) -> String {
        switch completion {
        case .passed: passedMessage(check)
        case .notRequested: notRequestedMessage(check)
        case .notApplicable: notApplicableMessage(check)
        case .notReached: "Not possible, because an earlier check failed."
        }
    }
}
