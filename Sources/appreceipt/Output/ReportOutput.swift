import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import ArgumentParser

/// Writes a report as text or JSON, and ends the command with its verdict.
struct ReportOutput {
    let format: OutputFormat
    /// Whether the anchors are Apple's.
    let isApple: Bool
    /// Whether every attribute of a receipt is shown.
    var showsRaw = false
    /// The time of the report.
    let now: Date

    private let terminal = Terminal.output

    private var contents: ReceiptText { ReceiptText(terminal: terminal, now: now, showsRaw: showsRaw) }

    /// - Throws: `ExitCode` 1 if the receipt isn't valid.
    func write(_ report: ReceiptReport) throws {
        try write(report) {
            $0.json(attributes: showsRaw, isPretty: true)
        } text: { text in
            var owned: [String] = []
            if let entitlements = report.entitlements?.all, let verified = try? report.result.get() {
                let products = EntitlementText(terminal: terminal)
                owned = products.products(entitlements) + products.volumePurchase(verified, at: now)
                owned += products.reasons(entitlements)
            }
            return text.lines(
                owned: owned, subject: report.receipt?.bundleIdentifier ?? Self.unknownApp,
                contents: report.receipt.map { contents.contents(of: $0) } ?? [],
                certificates: contents.certificates(
                    report.certificates, validationDate: report.validationDate, when: "the receipt was created"))
        }
    }

    /// - Throws: `ExitCode` 1 if the transaction receipt isn't valid.
    func write(_ report: TransactionReceiptReport) throws {
        try write(report) {
            $0.json(attributes: showsRaw, isPretty: true)
        } text: { text in
            let products = EntitlementText(terminal: terminal)
            return text.lines(
                owned: report.entitlements.map { products.products($0.all) + products.reasons($0.all) } ?? [],
                subject: report.contents?.bundleIdentifier ?? Self.unknownApp,
                contents: report.contents.map { contents.contents(of: $0) } ?? [],
                certificates: contents.certificates(
                    report.certificates, validationDate: report.contents?.purchaseDate, when: "the purchase was made"))
        }
    }

    /// - Throws: `ExitCode` 1 if the data isn't valid.
    func write(_ report: SignedDataReport) throws {
        try write(report) {
            $0.json(isPretty: true)
        } text: { text in
            var owned: [String] = []
            if let data = try? report.result.get() {
                let products = EntitlementText(terminal: terminal)
                let entitlements = report.entitlements?.all ?? []
                owned = entitlements.isEmpty ? [SignedDataText.absence(data)] : products.products(entitlements)
                owned += [Terminal.escaped(SignedDataSummary(data).event)] + products.reasons(entitlements)
            }
            let isFuture = report.validationDate.map { $0 > now } ?? false
            return text.lines(
                owned: owned, subject: report.kind.map(SignedDataText.title) ?? "Signed data",
                warning: isFuture ? "The date of signing is in the future. Check the clocks." : nil,
                contents: SignedDataText(terminal: terminal).contents(of: report),
                certificates: contents.certificates(
                    report.certificates, validationDate: report.validationDate, when: "the token was signed"))
        }
    }

    private static let unknownApp = "an app without bundle identifier"

    private func write<Value, Contents>(
        _ report: ValidationReport<Value, Contents>, json: (ValidationReport<Value, Contents>) -> [UInt8],
        text: (ReportText<Value, Contents>) -> [String]
    ) throws {
        switch format {
        case .json: try JSONOutput.write(json(report.withCommandLineRemedies))
        case .text:
            try Terminal.write(lines: text(ReportText(report: report, terminal: terminal, isApple: isApple)))
        }
        guard report.isValid else { throw ExitCode(1) }
    }
}

/// A report on a receipt, a transaction receipt or signed data as text.
struct ReportText<Value: Sendable, Contents: Sendable> {
    let report: ValidationReport<Value, Contents>
    let terminal: Terminal
    /// Whether the anchors are Apple's.
    let isApple: Bool

    /// Returns the lines of the report.
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

    /// Returns the verdict. For valid data, the next line states who signed it and what wasn't checked. Otherwise, the
    /// next lines state what to do.
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

    /// The remedies for the failures.
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
