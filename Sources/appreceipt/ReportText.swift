import AppReceiptKit

/// A report for people: the verdict, each check with its reason, what to do, and what the receipt says.
struct ReportText {
    let report: ValidationReport
    let text: ReceiptText
    /// Whether the anchors are Apple's.
    let isApple: Bool

    private var terminal: Terminal { text.terminal }

    var lines: [String] {
        var lines = [verdict, ""]
        lines.append(text.title("Checks"))
        lines += report.checks.map(line)
        if let failure = report.firstFailure, let remedy = failure.remedy {
            lines += ["", text.title("What to do"), "  " + remedy]
        }
        if let receipt = report.receipt {
            lines.append("")
            if !isSigned {
                lines.append(terminal.styled("What follows is what the bytes say; it is not proven.", .warning))
            }
            lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
        }
        if !report.certificates.isEmpty {
            lines += [""] + text.certificates(report.certificates, judgedAt: report.judgedAt)
        }
        return lines
    }

    /// Whether the signature is good, even if what was signed is not what was expected.
    private var isSigned: Bool { report.checks.contains { $0.check == .signature && $0.outcome == .passed } }

    private var verdict: String {
        switch report.result {
        case .success(let verified):
            let app = Terminal.harmless(verified.receipt.bundleIdentifier ?? "an app without bundle identifier")
            let who: String
            if verified.signerCertificate.role == .xcode {
                who = "made by Xcode for \(app); this proves nothing about a purchase"
            } else {
                who = (isApple ? "Apple signed this receipt for \(app)" : "signed under the given root for \(app)")
            }
            return terminal.styled("VALID", .good, .bold) + " – " + who
        case .failure:
            let finding = report.firstFailure
            return terminal.styled("NOT VALID", .bad, .bold)
                + " – \(finding?.check.rawValue ?? ""): \(Terminal.harmless(finding?.message ?? ""))"
        }
    }

    private func line(_ finding: ValidationReport.Finding) -> String {
        let name = finding.check.rawValue
        let padded = name + String(repeating: " ", count: max(0, 20 - name.count))
        let message = Terminal.harmless(finding.message)
        switch finding.outcome {
        case .passed: return "  \(terminal.styled("✓", .good)) \(padded)  \(message)"
        case .failed:
            return
                "  \(terminal.styled("✗", .bad)) \(padded)  \(terminal.styled(message, .bad)) [\(finding.code ?? "")]"
        case .skipped: return terminal.styled("  – \(padded)  \(message)", .dim)
        }
    }
}
