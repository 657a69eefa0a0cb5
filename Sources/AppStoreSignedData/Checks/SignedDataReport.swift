public import AppReceiptKit
public import AppReceiptSupport

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Everything that could be said about a token: each check with its outcome and reason, the certificates, and what it says
/// as far as it could be read, even when it is not valid.
public struct SignedDataReport: Sendable {
    /// What kind of data it is; nil if it cannot be told.
    public let kind: SignedDataKind?

    /// The first failure; nil if every check passed.
    public let failure: ReceiptError?

    /// Every check, in order.
    public let checks: [CheckResult]

    /// What the payload says, member by member, if it could be read. Proven only if ``isSigned``.
    public let payload: JSONObject?

    /// What the tokens in a notification say, by the names of their members, as far as they could be read. Proven only if
    /// ``isValid``.
    public let nested: [String: JSONObject]

    /// The certificates in the token that count and the anchor that was used, with their parts in the chain.
    public let certificates: [CertificateSummary]

    /// When it was signed, and the certificates were judged.
    public let signedDate: Date?

    /// Production, sandbox or Xcode as the signature proves it, even where another check failed; nil if the signature
    /// does not, or the data says something unknown or nothing.
    public let provenEnvironment: ReceiptEnvironment.Base?

    /// Whether no check failed.
    public var isValid: Bool { failure == nil }

    /// Whether the signature is good, even if what was signed is not what was expected.
    public var isSigned: Bool { checks.contains { $0.check == .signature && $0.outcome == .passed } }

    /// The check that failed first, in words that name what was found and what was expected.
    public var firstFailure: CheckResult? { checks.first { $0.outcome == .failed } }

    /// What came of one check.
    ///
    /// The message may name bundle identifiers and dates from the token. Where those do not belong into a log, log the check
    /// and the code.
    public struct CheckResult: Sendable, Hashable {
        /// The check.
        public let check: SignedDataCheck
        /// What came of it.
        public let outcome: ValidationReport.Outcome
        /// For a failure the error's code, for a skipped check `not-requested`, `not-applicable` or `not-reached`, else
        /// nil.
        public let code: String?
        /// What was found, as a full sentence.
        public let message: String
        /// For a failure, what to do about it.
        public let remedy: String?
    }
}

extension SignedDataReport {
    /// The report on what holds no token at all.
    init(unreadable error: ReceiptError) {
        let checks = SignedDataCheck.allCases.map { check in
            check == .token
                ? CheckResult(
                    check: check, outcome: .failed, code: error.code.rawValue, message: error.message,
                    remedy: error.remedy)
                : CheckResult(
                    check: check, outcome: .skipped, code: "not-reached",
                    message: "Not possible, because an earlier check failed.", remedy: nil)
        }
        self.init(
            kind: nil, failure: error, checks: checks, payload: nil, nested: [:], certificates: [], signedDate: nil,
            provenEnvironment: nil)
    }
}

extension SignedDataReport: CustomStringConvertible {
    /// The verdict and, where it failed, the check and code.
    public var description: String {
        guard let finding = firstFailure else { return "SignedDataReport(valid)" }
        return "SignedDataReport(invalid: \(finding.check.rawValue), \(finding.code ?? ""))"
    }
}

extension SignedDataReport {
    /// `{"verdict", "kind", "environment", "failure": {"check", "code", "message", "remedy"}, "checks": [{"name", "outcome",
    /// "code", "message"}], "payload", "nested"}`. Absent values are null, and so is an environment that the signature doesn't
    /// prove. The payload is as it was signed.
    public var json: JSONValue {
        let findings = checks.map { finding -> JSONValue in
            [
                "name": .string(finding.check.rawValue), "outcome": .string(finding.outcome.rawValue),
                "code": .text(finding.code), "message": .string(finding.message),
            ]
        }
        let failed: JSONValue =
            firstFailure.map { finding in
                [
                    "check": .string(finding.check.rawValue), "code": .text(finding.code),
                    "message": .string(finding.message), "remedy": .text(finding.remedy),
                ]
            } ?? .null
        var inner = JSONObject()
        for (name, members) in nested.sorted(by: { $0.key < $1.key }) { inner[name] = .object(members) }
        return [
            "verdict": .string(isValid ? "valid" : "invalid"), "kind": .text(kind?.rawValue),
            "environment": .text(provenEnvironment?.rawValue), "failure": failed, "checks": .array(findings),
            "payload": payload.map { .object($0) } ?? .null, "nested": nested.isEmpty ? .null : .object(inner),
        ]
    }
}

extension JSONValue {
    fileprivate static func text(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
