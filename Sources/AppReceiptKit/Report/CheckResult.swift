public import AppReceiptFoundation
public import AppReceiptParsing
package import AppReceiptSupport

/// The result of one check.
///
/// The message may contain bundle identifiers, versions and dates from the data. To keep those out of a log, log the
/// check and the code.
public struct CheckResult: Sendable, Hashable {
    /// The check.
    public let check: ValidationCheck
    /// Whether the check passed, failed or was skipped.
    public let outcome: Outcome
    /// The error's code if the check failed; `not-requested`, `not-applicable` or `not-reached` if it was skipped;
    /// otherwise nil.
    public let code: String?
    /// A description of the result, as a full sentence.
    public let message: String
    /// The remedy for a failure, otherwise nil.
    public internal(set) var remedy: String?
    /// The section about a failure's code in the documentation, such as `docs/errors.md#signature-invalid`, otherwise
    /// nil.
    ///
    /// The path is relative to the repository of this package.
    public var documentation: URL? { outcome == .failed ? code.map { ErrorDocumentation.url(of: $0) } : nil }

    /// The text of ``documentation``.
    package var documentationLink: String? { outcome == .failed ? code.map { ErrorDocumentation.link(to: $0) } : nil }

    /// The outcomes of a check.
    public enum Outcome: String, Sendable, Hashable, Codable {
        /// The data meets the requirement.
        case passed
        /// The data doesn't meet the requirement.
        case failed
        /// Not requested, not applicable to this kind of data, or not possible because an earlier check failed.
        case skipped
    }

    /// The reason that a check was skipped.
    package enum SkipReason: String, Sendable, CaseIterable {
        /// The caller has no expectation for this check.
        case notRequested = "not-requested"
        /// The check doesn't apply to this kind of data.
        case notApplicable = "not-applicable"
        /// The check requires the result of an earlier check that failed.
        case notReached = "not-reached"
    }

    init(passed check: ValidationCheck, message: String) {
        self.check = check
        outcome = .passed
        code = nil
        self.message = message
        remedy = nil
    }

    init(_ check: ValidationCheck, skipped reason: SkipReason, message: String) {
        self.check = check
        outcome = .skipped
        code = reason.rawValue
        self.message = message
        remedy = nil
    }

    init(_ check: ValidationCheck, failed error: ReceiptError, message: String) {
        self.check = check
        outcome = .failed
        code = error.code.rawValue
        self.message = message
        remedy = error.remedy
    }
}

extension CheckResult {
    /// The members of a report's `checks`: `{"name", "outcome", "code", "message"}`.
    package func write(to writer: inout JSONWriter) {
        writer.member("name", check.rawValue)
        writer.member("outcome", outcome.rawValue)
        writer.member("code", code)
        writer.member("message", message)
    }

    /// The members of a report's `failure`: `{"check", "code", "message", "remedy", "documentation"}`.
    package func writeFailure(to writer: inout JSONWriter) {
        writer.member("check", check.rawValue)
        writer.member("code", code)
        writer.member("message", message)
        writer.member("remedy", remedy)
        writer.member("documentation", documentationLink)
    }
}

extension CheckResult: Encodable {
    /// Encodes `name`, `outcome`, `code` and `message`. An absent code is null.
    public func encode(to encoder: any Encoder) throws { try AppStoreJSON { write(to: &$0) }.encode(to: encoder) }
}
