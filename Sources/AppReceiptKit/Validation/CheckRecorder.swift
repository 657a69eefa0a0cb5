package import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport

/// Runs the checks of one receipt or token, and records the result of each.
///
/// A report needs every result. A verification only needs the first failure: later checks don't run, and no messages
/// are written.
package struct CheckRecorder: Sendable {
    /// The results to record.
    package enum Mode: Sendable {
        case firstFailure
        case everyResult
    }

    /// The words for one kind of data in messages.
    package struct Wording: Sendable {
        /// "receipt" or "data".
        let noun: String
        /// The indefinite article of the noun and a space, or nothing.
        let article: String
        /// The event at whose date the certificates are validated, such as "the receipt was created".
        let signing: String

        package static let receipt = Wording(noun: "receipt", article: "a ", signing: "the receipt was created")
        package static let transactionReceipt = Wording(
            noun: "receipt", article: "a ", signing: "the purchase was made")
        package static let signedData = Wording(noun: "data", article: "", signing: "the token was signed")
    }

    /// The current time.
    package let now: Date
    /// The first failure.
    package private(set) var failure: ReceiptError?
    let wording: Wording
    private let checks: [ValidationCheck]
    private let mode: Mode
    private var recorded: [CheckResult] = []

    /// - Parameter checks: The checks of this kind of data, in the order in which they run.
    package init(_ checks: [ValidationCheck], of wording: Wording, recording mode: Mode, now: Date) {
        self.checks = checks
        self.wording = wording
        self.mode = mode
        self.now = now
    }

    /// Whether a report needs what else can be read, such as the contents of nested data.
    package var isReport: Bool { mode == .everyResult }

    /// The result of each check. Those that didn't run require the result of a check that failed.
    var results: [CheckResult] {
        guard mode == .everyResult else { return [] }
        return checks.map { check in
            recorded.first { $0.check == check }
                ?? CheckResult(
                    check, skipped: .notReached, message: "Not possible, because an earlier check failed.")
        }
    }

    /// Runs a check.
    ///
    /// - Parameters:
    ///   - check: The check.
    ///   - body: Throws an error if the data doesn't pass.
    ///   - passed: Returns the message for data that passes.
    ///   - failed: Returns the message for an error, with the actual and expected values unless they identify the
    ///     customer. Default: the error's message.
    /// - Returns: The result of the check's function; nil if the check failed, or didn't run because only the first
    ///   failure is recorded.
    package mutating func run<Value>(
        _ check: ValidationCheck, body: () throws(ReceiptError) -> Value, passed: (Value) -> String,
        failed: (ReceiptError) -> String? = { _ in nil }
    ) -> Value? {
        guard mode == .everyResult || failure == nil else { return nil }
        do throws(ReceiptError) {
            let value = try body()
            if mode == .everyResult { recorded.append(CheckResult(passed: check, message: passed(value))) }
            return value
        } catch {
            fail(check, with: error, message: failed(error))
            return nil
        }
    }

    /// Records a check that failed.
    ///
    /// - Parameters:
    ///   - check: The check.
    ///   - error: Why it failed.
    ///   - message: The message; nil for the error's.
    package mutating func fail(
        _ check: ValidationCheck, with error: ReceiptError, message: @autoclosure () -> String? = nil
    ) {
        guard mode == .everyResult || failure == nil else { return }
        failure = failure ?? error
        guard mode == .everyResult else { return }
        recorded.append(CheckResult(check, failed: error, message: message() ?? error.messageWithOffset))
    }

    /// Records a check that isn't necessary or doesn't apply.
    package mutating func skip(
        _ check: ValidationCheck, because reason: CheckResult.SkipReason, message: @autoclosure () -> String
    ) {
        guard mode == .everyResult else { return }
        recorded.append(CheckResult(check, skipped: reason, message: message()))
    }

    /// Validates a certificate chain.
    ///
    /// - Parameters:
    ///   - date: The date at which the certificates must have been valid.
    ///   - body: Returns the validated chain.
    package mutating func runCertificateChain(
        at date: Date?, body: () throws(ReceiptError) -> CertificateChain
    ) -> CertificateChain? {
        let (now, signing) = (now, wording.signing)
        return run(.certificateChain, body: body) { chain in
            guard let anchor = chain.anchorName, let date else {
                return "The signer is a trusted Xcode certificate. This proves nothing about a purchase."
            }
            let message =
                "The signer chains to \(anchor) and every certificate was valid at \(ReceiptDate.string(from: date)), when \(signing)."
            return date > now ? message + " This date is in the future, so one of the clocks is wrong." : message
        } failed: { error in
            guard let date, Self.validityCodes.contains(error.code) else { return nil }
            return "\(error.message.dropLast()), \(ReceiptDate.string(from: date))."
        }
    }

    /// The errors about the date at which the certificates are validated.
    private static let validityCodes: Set<ReceiptError.Code> = [
        .signerExpired, .signerNotYetValid, .intermediateExpired, .intermediateNotYetValid, .anchorExpired,
        .anchorNotYetValid,
    ]
}

extension ValidationReport {
    /// Creates a report from the checks that ran.
    ///
    /// - Parameters:
    ///   - checks: The checks.
    ///   - signed: The value if its signature is valid, whether or not it meets the expectations.
    ///   - environment: The environment of the signed value.
    ///   - contents: The contents, verified or not.
    ///   - validationDate: The date at which the certificates were validated.
    ///   - certificates: Reads the certificates, with their roles in the chain.
    package init(
        _ checks: CheckRecorder, signed: Value? = nil, environment: AppStoreEnvironment? = nil,
        contents: Contents? = nil, validationDate: Date? = nil,
        certificates: @escaping @Sendable () -> [CertificateSummary] = { [] }
    ) {
        self.init(
            result: Self.result(of: checks, signed), checks: checks.results, contents: contents,
            certificateSummaries: certificates, validationDate: validationDate, provenEnvironment: environment,
            authenticated: signed, now: checks.now)
    }

    private static func result(of checks: CheckRecorder, _ signed: Value?) -> Result<Value, ReceiptError> {
        if let failure = checks.failure { return .failure(failure) }
        return signed.map { .success($0) } ?? .failure(ReceiptError(.signatureInvalid))
    }
}

// The comparisons that several kinds of data have in common.

extension CheckRecorder {
    /// Compares the bundle identifier with the expected one, byte by byte.
    package mutating func compareBundleIdentifier(
        _ actual: String?, with expected: AcceptedValues<String>
    ) {
        let wording = wording
        guard let accepted = expected.values else {
            return skip(
                .bundleIdentifier, because: .notRequested,
                message: "No bundle identifier is expected, so \(wording.article)\(wording.noun) for any app passes.")
        }
        _ = run(.bundleIdentifier) { () throws(ReceiptError) in
            guard let actual else {
                throw ReceiptError(
                    .bundleIdentifierMissing, "The \(wording.noun) has no bundle identifier to compare.")
            }
            guard accepted.contains(where: { ExactString($0) == ExactString(actual) }) else {
                throw ReceiptError(
                    .bundleIdentifierMismatch, "The \(wording.noun) is for another app than expected.")
            }
        } passed: {
            "The \(wording.noun) is for \(actual ?? "")."
        } failed: { error in
            guard error.code == .bundleIdentifierMismatch, !accepted.isEmpty else { return nil }
            let single = accepted.count == 1 ? accepted.first : nil
            let expected = single.map { quoted($0) } ?? "one of the \(accepted.count) expected apps"
            return "The \(wording.noun) is for \(quoted(actual)), not for \(expected)."
        }
    }

    /// Compares the environment with the accepted ones.
    ///
    /// - Parameters:
    ///   - actual: The environment that the data claims, nil if it is unknown.
    ///   - name: The environment's name in the data, nil if it has none.
    ///   - expected: The accepted environments.
    package mutating func compareEnvironment(
        _ actual: AppStoreEnvironment?, named name: String?, with expected: AcceptedValues<AppStoreEnvironment>
    ) {
        let wording = wording
        guard let accepted = expected.values else {
            let (noun, article) = (wording.noun, wording.article)
            return skip(
                .environment, because: .notRequested,
                message:
                    "No environment is expected, so \(article)sandbox \(noun) passes like \(article)production \(noun)."
            )
        }
        _ = run(.environment) { () throws(ReceiptError) in
            guard name != nil else {
                throw ReceiptError(.environmentMissing, "The \(wording.noun) has no environment to compare.")
            }
            guard let actual else {
                throw ReceiptError(.environmentUnknown, "The \(wording.noun) comes from an unknown environment.")
            }
            guard !accepted.isEmpty else {
                throw ReceiptError(.environmentMismatch, "The expectations accept no environment.")
            }
            guard accepted.contains(actual) else {
                let names = Set(accepted.map(\.rawValue)).sorted().joined(separator: " or ")
                throw ReceiptError(
                    .environmentMismatch, "The \(wording.noun) comes from \(actual.rawValue), not from \(names).")
            }
        } passed: {
            "The \(wording.noun) comes from \(actual?.rawValue ?? "an accepted environment")."
        } failed: { error in
            guard error.code == .environmentUnknown else { return nil }
            return "The \(wording.noun) comes from \(quoted(name)), an unknown environment."
        }
    }
}

/// Returns the text in quotation marks, so that spaces at its ends are visible.
package func quoted(_ text: String?) -> String { "“\(text ?? "")”" }
