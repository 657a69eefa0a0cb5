package import AppReceiptParsing
import AppReceiptSupport

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
            let names = accepted.map { quoted($0) }.joined(separator: " or ")
            return "The \(wording.noun) is for \(quoted(actual)), not for \(names)."
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
            guard let name else {
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
                    .environmentMismatch, "The \(wording.noun) comes from \(quoted(name)), not from \(names).")
            }
        } passed: {
            "The \(wording.noun) comes from \(name ?? "an accepted environment")."
        } failed: { error in
            guard error.code == .environmentUnknown else { return nil }
            return "The \(wording.noun) comes from \(quoted(name)), an unknown environment."
        }
    }

    /// Compares the app's version with the expected one.
    mutating func compareAppVersion(_ actual: String?, with expected: String?) {
        guard let expected else {
            return skip(.appVersion, because: .notRequested, message: "No app version is expected.")
        }
        _ = run(.appVersion) { () throws(ReceiptError) in
            guard let actual else { throw ReceiptError(.appVersionMissing) }
            guard ExactString(actual) == ExactString(expected) else { throw ReceiptError(.appVersionMismatch) }
        } passed: {
            "The receipt is for version \(expected)."
        } failed: { error in
            guard error.code == .appVersionMismatch else { return nil }
            return "The receipt is for version \(quoted(actual)), not \(quoted(expected))."
        }
    }
}

/// Returns the text in quotation marks, so that spaces at its ends are visible.
package func quoted(_ text: String?) -> String { "“\(text ?? "")”" }
