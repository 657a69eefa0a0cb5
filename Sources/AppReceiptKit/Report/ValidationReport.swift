public import AppReceiptFoundation
public import AppReceiptParsing
package import AppReceiptSupport

/// The report on a receipt.
public typealias ReceiptReport = ValidationReport<VerifiedReceipt, AppReceipt>

/// A report on a receipt or on signed data.
///
/// It contains the verified value or the first failure, the result of each check, and the contents as far as they could
/// be read, even if they aren't valid.
public struct ValidationReport<Value: Sendable, Contents: Sendable>: Sendable {
    /// The verified value, or the first failure.
    public let result: Result<Value, ReceiptError>

    /// The result of each check, in the order in which they ran.
    public private(set) var checks: [CheckResult]

    /// The contents, nil if they couldn't be read. Proven only if ``isSigned``.
    public let contents: Contents?

    /// The certificates in the data and the anchor that was used, with their roles in the chain. They are read for each
    /// call.
    public var certificates: [CertificateSummary] { certificateSummaries() }

    /// Reads the certificates for display, which costs more than the validation.
    let certificateSummaries: @Sendable () -> [CertificateSummary]

    /// The date at which the certificates were validated: when the receipt was created or the token was signed.
    public let validationDate: Date?

    /// Production, sandbox or Xcode, proven by the signature even if another check failed.
    ///
    /// Nil if the signature isn't valid, or if the environment is absent or unknown.
    public let provenEnvironment: AppStoreEnvironment?

    /// The value if its signature is valid, even if it doesn't meet the expectations. A notification then lacks its
    /// nested data.
    package let authenticated: Value?

    /// The value if its signature is valid, otherwise the first failure.
    package var authenticatedResult: Result<Value, ReceiptError> {
        authenticated.map { .success($0) } ?? .failure(failure ?? ReceiptError(.signatureInvalid))
    }

    /// The time at which expiration was checked.
    package let now: Date

    /// The date for which entitlements are derived: the time of the report. A clock that is earlier than the date of
    /// signing is wrong.
    package var entitlementDate: Date { max(now, validationDate ?? now) }

    /// Whether every check passed or was skipped.
    public var isValid: Bool {
        if case .success = result { true } else { false }
    }

    /// Whether the signature is valid, even if another check failed.
    public var isSigned: Bool { checks.contains { $0.check == .signature && $0.outcome == .passed } }

    /// The first failure.
    public var failure: ReceiptError? {
        if case .failure(let error) = result { error } else { nil }
    }

    /// The result of the check that failed first. Its message contains the actual and expected values.
    public var firstFailure: CheckResult? { isValid ? nil : checks.first { $0.outcome == .failed } }

    /// Returns a report with another type of value.
    package func map<NewValue>(_ transform: (Value) -> NewValue) -> ValidationReport<NewValue, Contents> {
        ValidationReport<NewValue, Contents>(
            result: result.map(transform), checks: checks, contents: contents,
            certificateSummaries: certificateSummaries, validationDate: validationDate,
            provenEnvironment: provenEnvironment, authenticated: authenticated.map(transform), now: now)
    }

    /// Returns a report whose checks have other remedies.
    ///
    /// - Parameter transform: Returns the remedy for an error's code and the library's remedy.
    package func mapRemedies(_ transform: (_ code: String, _ remedy: String) -> String) -> Self {
        var report = self
        for (index, check) in checks.enumerated() {
            guard let code = check.code, let remedy = check.remedy else { continue }
            report.checks[index].remedy = transform(code, remedy)
        }
        return report
    }
}

/// The contents of a receipt of either kind, as reports have them.
package protocol ReportedReceipt: Sendable {
    /// The member `kind` of a report; nil for a report without it.
    static var reportedKind: String? { get }

    /// Writes the members of the contents.
    ///
    /// - Parameters:
    ///   - writer: The document, in an open object.
    ///   - includesAttributes: Whether to write the raw attributes.
    func write(to writer: inout JSONWriter, attributes includesAttributes: Bool)
}

extension AppReceipt: ReportedReceipt {
    package static var reportedKind: String? { nil }
}

extension TransactionReceipt: ReportedReceipt {
    package static var reportedKind: String? { kind }
}

extension ValidationReport where Contents: ReportedReceipt {
    /// Returns the JSON of the report with entitlements from additional evidence.
    ///
    /// - Parameters:
    ///   - entitlements: What the customer owns; nil if the receipt isn't valid.
    ///   - attributes: Whether to include the receipt's raw attributes.
    ///   - isPretty: Whether to write each member on its own line.
    ///   - writeMembers: Writes more members after those of the report.
    package func json(
        _ entitlements: Entitlements?, attributes: Bool, isPretty: Bool = false,
        writeMembers: (inout JSONWriter) -> Void = { _ in }
    ) -> [UInt8] {
        var writer = JSONWriter(isPretty: isPretty)
        writer.openObject()
        writeVerdict(to: &writer, entitlements, kind: Contents.reportedKind.map { .some($0) })
        if let contents {
            writer.openObject("receipt")
            contents.write(to: &writer, attributes: attributes)
            writer.closeObject()
        } else {
            writer.member("receipt", .null)
        }
        writeMembers(&writer)
        writer.closeObject()
        return writer.bytes
    }
}

extension ValidationReport {
    /// Writes the members that reports of all kinds have: `verdict`, `environment`, `failure`, `products` and `checks`.
    ///
    /// - Parameters:
    ///   - writer: The document, in an open object.
    ///   - entitlements: What the customer owns; nil if the data isn't valid or contains no purchases.
    ///   - kind: The member `kind` after the verdict, for reports that have it; its value is nil if the kind isn't
    ///     known.
    package func writeVerdict(to writer: inout JSONWriter, _ entitlements: Entitlements?, kind: String?? = nil) {
        writer.member("verdict", isValid ? "valid" : "invalid")
        if let kind { writer.member("kind", kind) }
        writer.member("environment", provenEnvironment?.rawValue)
        if let firstFailure {
            writer.openObject("failure")
            firstFailure.writeFailure(to: &writer)
            writer.closeObject()
        } else {
            writer.member("failure", .null)
        }
        writer.openArray("products")
        for entitlement in entitlements?.all ?? [] { writer.element { entitlement.write(to: &$0) } }
        writer.closeArray()
        writer.openArray("checks")
        for check in checks { writer.element { check.write(to: &$0) } }
        writer.closeArray()
    }
}

extension ValidationReport: CustomStringConvertible {
    /// The verdict and, if it is invalid, the check and the code.
    public var description: String {
        guard let failure = firstFailure else { return "ValidationReport(valid)" }
        return "ValidationReport(invalid: \(failure.check.rawValue), \(failure.code ?? ""))"
    }
}
