public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Everything that could be said about a receipt: each check with its outcome and reason, the certificates, and the
/// receipt as far as it could be read, even when it is not valid.
public struct ValidationReport: Sendable {
    /// The verified receipt, or the first failure.
    public let result: Result<VerifiedReceipt, ReceiptError>

    /// Every check, in order.
    public let checks: [CheckResult]

    /// What the bytes say, if they could be read. Proven only if ``isValid``.
    public let receipt: AppReceipt?

    /// The certificates in the container and the anchor that was used, with their parts in the chain.
    public let certificates: [CertificateSummary]

    /// What the customer owns at the time of the report; nil if the receipt isn't valid.
    public package(set) var entitlements: Entitlements?

    /// The creation date at which the certificates were judged.
    public var validationDate: Date? { receipt?.creationDate }

    /// Production, sandbox or Xcode as the signature proves it, even where another check failed; nil if the signature
    /// does not, or the receipt says something unknown or nothing.
    public var provenEnvironment: ReceiptEnvironment.Base? {
        let isSigned = checks.contains { $0.check == .signature && $0.outcome == .passed }
        return isSigned ? receipt?.environment?.base : nil
    }

    /// Whether no check failed.
    public var isValid: Bool {
        if case .success = result { true } else { false }
    }

    /// The first failure.
    public var failure: ReceiptError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The check that failed first, in words that name what was found and what was expected.
    public var firstFailure: CheckResult? { checks.first { $0.outcome == .failed } }

    /// What came of one check.
    ///
    /// The message may name bundle identifiers, versions and dates from the receipt. Where those do not belong into a
    /// log, log the check and the code.
    public struct CheckResult: Sendable, Hashable {
        /// The check.
        public let check: Check
        /// What came of it.
        public let outcome: Outcome
        /// For a failure the error's code, for a skipped check `not-requested` or `not-reached`, else nil.
        public let code: String?
        /// What was found, as a full sentence.
        public let message: String
        /// For a failure, what to do about it.
        public let remedy: String?
    }

    /// What can come of a check.
    public enum Outcome: String, Sendable, Hashable, Codable {
        case passed
        case failed
        /// Not asked for, or not possible because an earlier check failed.
        case skipped
    }
}

extension ValidationReport: CustomStringConvertible {
    /// The verdict and, where it failed, the check and code.
    public var description: String {
        guard let finding = firstFailure else { return "ValidationReport(valid)" }
        return "ValidationReport(invalid: \(finding.check.rawValue), \(finding.code ?? ""))"
    }
}

/// `{"verdict", "environment", "failure": {"check", "code", "message", "remedy"}, "checks": [{"name", "outcome", "code",
/// "message"}], "products", "receipt"}`. Absent values are null, and so is an environment that the signature doesn't prove. The products are
/// encoded as ``Entitlement``, none for a receipt that isn't valid; the receipt as ``AppReceipt``.
extension ValidationReport: Encodable {
    enum CodingKeys: String, CodingKey { case verdict, environment, failure, checks, products, receipt }
    private enum FailureKeys: String, CodingKey { case check, code, message, remedy }

    /// Writes the members that the type names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(isValid ? "valid" : "invalid", forKey: .verdict)
        try container.encode(provenEnvironment, forKey: .environment)
        if let finding = firstFailure {
            var nested = container.nestedContainer(keyedBy: FailureKeys.self, forKey: .failure)
            try nested.encode(finding.check, forKey: .check)
            try nested.encode(finding.code, forKey: .code)
            try nested.encode(finding.message, forKey: .message)
            try nested.encode(finding.remedy, forKey: .remedy)
        } else {
            try container.encodeNil(forKey: .failure)
        }
        try container.encode(checks, forKey: .checks)
        try container.encode(entitlements?.all ?? [], forKey: .products)
        try container.encode(receipt, forKey: .receipt)
    }
}

extension ValidationReport.CheckResult: Encodable {
    enum CodingKeys: String, CodingKey { case name, outcome, code, message }

    /// Writes the members that the type names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(check, forKey: .name)
        try container.encode(outcome, forKey: .outcome)
        try container.encode(code, forKey: .code)
        try container.encode(message, forKey: .message)
    }
}
