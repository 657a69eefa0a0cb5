import AppReceiptKit
import AppStoreSignedData

/// A report on a receipt, a transaction receipt or signed data as text.
struct ReportText<Value: Sendable, Contents: Sendable> {
    let report: ValidationReport<Value, Contents>
    let terminal: Terminal
    /// Whether the anchors are Apple's.
    let isApple: Bool

    /// The lines of the report.
    ///
    /// - Parameters:
    ///   - owned: The customer's products with reasons; empty unless the data is valid.
    ///   - subject: What is valid, such as the app.
    ///   - warning: A remark below the verdict.
    ///   - contents: What the data contains; empty if it couldn't be read.
    ///   - certificates: The certificates.
    func lines(
        owned: [String], subject: String, warning: String? = nil, contents: [String], certificates: [String]
    ) -> [String] {
        (owned.isEmpty ? [] : owned + [""])
            + verdict(subject) + (warning.map { [terminal.styled($0, as: .warning)] } ?? [])
            + [""] + checks
            + (contents.isEmpty ? [] : [""] + unprovenWarning + contents)
            + certificates
    }

    /// The verdict. For valid data, the next line states who signed it and what wasn't checked. Otherwise, the next
    /// lines state what to do.
    private func verdict(_ subject: String) -> [String] {
        guard report.isValid else {
            let failure = report.firstFailure
            let message = Terminal.escaped(Terminal.truncated(failure?.message ?? "", to: 400))
            return [terminal.styled("NOT VALID", as: .bad, .bold) + "   \(failure?.check.rawValue ?? ""): \(message)"]
                + ["What the customer owns isn't shown, because only valid data proves it."] + remedies
        }
        let environment = report.provenEnvironment.map { ", \($0.rawValue)" } ?? ""
        let subject = Terminal.escaped(Terminal.truncated(subject))
        return [
            terminal.styled("VALID", as: .good, .bold) + "   " + subject + environment,
            signer + (notChecked.map { " " + terminal.styled($0, as: .warning) } ?? ""),
        ]
    }

    private var signer: String {
        if report.certificates.contains(where: { $0.role == .xcode }) {
            return "Signed with Xcode's certificate, which proves nothing about a purchase."
        }
        return isApple ? "Signed by Apple." : "Signed under the root passed with --root."
    }

    /// The expectations that weren't passed, so that "valid" isn't overestimated.
    private var notChecked: String? {
        let names = report.checks.filter { $0.code == "not-requested" }.compactMap { result -> String? in
            switch result.check {
            case .bundleIdentifier: "bundle identifier"
            case .environment: "environment"
            case .appAppleIdentifier: "App Store identifier"
            case .deviceHash, .deviceVerification: "device"
            default: nil
            }
        }
        return names.isEmpty ? nil : "Not checked: \(names.joined(separator: ", "))."
    }

    /// What to do about the failures.
    private var remedies: [String] {
        let lines = CommandLineRemedies.lines(
            for: report.checks.compactMap { result in result.remedy.map { (result.code ?? "", $0) } })
        return lines.isEmpty ? [] : ["", title("What to do")] + lines.map { "  " + $0 }
    }

    /// Every check.
    private var checks: [String] {
        // If nothing could be read, the other checks only repeat that.
        let isUnreadable = report.checks.first?.outcome == .failed
        let checks = report.checks.filter { !isUnreadable || $0.code != "not-reached" && $0.code != "not-requested" }
        return [title("Checks")] + checks.map(line)
    }

    /// A warning above contents whose signature isn't valid.
    private var unprovenWarning: [String] {
        report.isSigned
            ? [] : [terminal.styled("The signature isn't proven, so neither are the contents below.", as: .warning)]
    }

    private func title(_ text: String) -> String { terminal.styled(text, as: .bold) }

    private func line(_ result: CheckResult) -> String {
        let name = result.check.rawValue
        let padded = name + String(repeating: " ", count: max(0, 20 - name.count))
        let message = Terminal.escaped(Terminal.truncated(result.message, to: 400))
        switch result.outcome {
        case .passed: return "  \(terminal.styled("✓", as: .good)) \(padded)  \(message)"
        case .failed:
            return
                "  \(terminal.styled("✗", as: .bad)) \(padded)  \(terminal.styled(message, as: .bad)) "
                + "[\(result.code ?? "")]"
        case .skipped: return terminal.styled("  – \(padded)  \(message)", as: .dim)
        }
    }
}
