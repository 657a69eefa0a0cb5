import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import TestSupport

@testable import VerifyReceipt

/// The contents of docs/errors.md: every code that a user can meet, in groups.
struct ErrorCatalog {
    /// A code with its own section, to which failures link.
    struct Entry {
        let code: String
        let cause: String
        /// What to do, or nil if nothing is wrong.
        var remedy: String?
        /// The status of verifyReceipt for this error, or nil if the endpoint doesn't have it.
        var status: VerifyReceiptStatus?

        init(_ code: String, cause: String, remedy: String?) {
            self.code = code
            self.cause = cause
            self.remedy = remedy
        }

        init(_ code: ReceiptError.Code) {
            self.init(code.rawValue, cause: code.cause, remedy: code.remedy)
            status = Self.status(of: code)
        }

        private static func status(of code: ReceiptError.Code) -> VerifyReceiptStatus? {
            switch code {
            case .sandboxReceiptInProduction: .sandboxReceiptInProduction
            case .productionReceiptInSandbox: .productionReceiptInSandbox
            // The endpoint doesn't read files, and compares nothing but the app and the environment.
            case .inputReceiptMissing, .inputUnreadable: nil
            default:
                switch code.check {
                case .appVersion, .originalAppVersion, .deviceHash, .expiration: nil
                default: VerifyReceiptStatus(ReceiptError(code))
                }
            }
        }
    }

    /// Entries with a common heading.
    struct Group {
        let title: String
        var introduction: String?
        let entries: [Entry]
    }

    /// The codes of receipts and signed data.
    static let codes = ReceiptError.Code.allCodes

    static let groups = checks + [skipped] + server + [batch, refresh, testData] + appStore

    /// A group for each check, in the order of the checks.
    private static let checks: [Group] = [
        [.input], ValidationCheck.receiptChecks, [.token, .appAppleIdentifier, .deviceVerification, .nestedData],
    ].flatMap(\.self).compactMap { check in
        let entries = codes.filter { $0.check == check }.map { Entry($0) }
        guard !entries.isEmpty else { return nil }
        guard check == .input else { return Group(title: "Check \(check.rawValue)", entries: entries) }
        return Group(
            title: "Input", introduction: "Reports list these errors under the check `container`.", entries: entries)
    }

    private static let skipped = Group(
        title: "Skipped checks", introduction: "These codes aren't errors.",
        entries: CheckResult.SkipReason.allCases.map { status in
            switch status {
            case .notRequested:
                entry(
                    status, "No value was given to compare with.", remedy: "To run the check, pass the expected value.")
            case .notApplicable: entry(status, "Data of this kind has nothing to compare.")
            case .notReached:
                entry(status, "The check requires the result of an earlier check, which failed.")
            }
        })

    private static func entry(_ reason: CheckResult.SkipReason, _ cause: String, remedy: String? = nil) -> Entry {
        Entry(reason.rawValue, cause: cause, remedy: remedy)
    }

    /// In addition to the codes of receipts. A record can also have `option-conflict`, which requests to the API have
    /// too.
    private static let batch = Group(
        title: "Lines of appreceipt batch",
        introduction:
            "A record that can't be validated has the verdict `error`. See also [option-conflict](#option-conflict).",
        entries: [
            Entry(
                "line-malformed",
                cause:
                    "The line isn't a record: neither a JSON object or row nor a receipt or token itself; a member twice; an option "
                    + "that is null or empty in JSON; no receipt or token, or several.",
                remedy: "Fix the line. The other records have results."),
            Entry(
                "line-too-long", cause: "The line exceeds the limit for a record.",
                remedy: "Fix the line. The other records have results."),
            Entry(
                "option-not-applicable",
                cause: "The record is a token, but a version or device is expected, which only receipts have.",
                remedy: "Remove the option from the record, or validate tokens in a run without it."),
            Entry(
                "expectation-malformed", cause: "An environment or device in the record can't be parsed.",
                remedy: "Write it as for `validate`."),
        ])

    private static let refresh = Group(
        title: "Requests for a new receipt", introduction: "The codes of `ReceiptRefreshError`.",
        entries: ReceiptRefreshError.Code.all.map { Entry($0.rawValue, cause: $0.cause, remedy: $0.remedy) })

    private static let testData = Group(
        title: "Test data", introduction: "The codes that only AppReceiptTesting adds.",
        entries: ReceiptError.Code.testingCodes.map { Entry($0.rawValue, cause: $0.cause, remedy: $0.remedy) })

    /// The status that most of the entries have, or nil if none has one.
    private static func commonStatus(_ entries: [Entry]) -> VerifyReceiptStatus? {
        let counts = Dictionary(entries.compactMap(\.status).map { ($0, 1) }, uniquingKeysWith: +)
        return counts.max { ($0.value, $1.key.rawValue) < ($1.value, $0.key.rawValue) }?.key
    }

    /// The anchor that Markdown renderers give to a heading without punctuation.
    static func anchor(ofHeading heading: some StringProtocol) -> String {
        heading.lowercased().split(separator: " ").joined(separator: "-")
    }

    /// The document.
    static func render() -> String {
        let titles = groups.map { "* [\($0.title)](#\(anchor(ofHeading: $0.title)))" }
        var text = """
            # Errors

            Look up why a receipt, signed data or a request failed, and what to do about it. Every code has a section of its own,
            to which failures link: `docs/errors.md#signature-invalid`.

            \(titles.joined(separator: "\n"))

            The order is that of the checks of a receipt; checks of signed data alone follow. Codes are stable: programs may compare
            them. The message of an error may be more specific than the cause here, and contains the offset of malformed bytes.
            Encoding errors occur in the container, in the payload and in signed attributes; the report names the check.

            Some genuine signed data is too old to be accepted:

            | data | lacks | result |
            | --- | --- | --- |
            | early notifications (seen: March 2022) | `signedDate` | [signed-date-missing](#signed-date-missing): there is no date at which to validate the certificates. The transaction and renewal information inside have dates, and can be verified by themselves |
            | early transactions (seen: 2021) | `environment` | [environment-missing](#environment-missing), unless any environment is accepted. No entitlement follows from them |

            Request newer copies from the App Store Server API, or from the app.

            """
        for group in groups {
            text += "\n## \(group.title)\n"
            if let introduction = group.introduction { text += "\n\(introduction)\n" }
            let status = commonStatus(group.entries)
            if let status {
                let isExact = group.entries.allSatisfy { $0.status == status }
                text +=
                    "\nThe status of verifyReceipt for these errors is \(status)\(isExact ? "" : ", unless stated otherwise").\n"
            }
            for entry in group.entries {
                text += "\n### \(entry.code)\n\n\(entry.cause)\n"
                if let remedy = entry.remedy { text += "\n**What to do:** \(remedy)\n" }
                if entry.status != status {
                    text +=
                        "\n\(entry.status.map { "The status of verifyReceipt is \($0)." } ?? "verifyReceipt doesn't have this error.")\n"
                }
            }
        }
        return text
    }
}
