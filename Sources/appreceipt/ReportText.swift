import AppReceiptKit

/// A report for people: what the customer owns, the verdict, each check with its reason, what to do, and the receipt's contents.
struct ReportText {
    let report: ReceiptReport
    let text: ReceiptText
    /// Whether the anchors are Apple's.
    let isApple: Bool
    /// Whether every attribute is shown.
    let showsRaw: Bool

    private var terminal: Terminal { text.terminal }

    var lines: [String] {
        let entitlements = report.entitlements?.all ?? []
        let owned = EntitlementText(terminal: terminal)
        var lines = entitlements.isEmpty ? [] : owned.products(entitlements) + [""]
        lines += [verdict, ""]
        lines.append(text.title("Checks"))
        lines += report.checks.map { CheckLine.text(terminal, $0) }
        if !remedies.isEmpty { lines += ["", text.title("What to do")] + remedies.map { "  " + $0 } }
        lines += owned.reasons(entitlements)
        if let receipt = report.receipt {
            lines.append("")
            if !report.isSigned {
                lines.append(terminal.styled("What follows is what the bytes say; it is not proven.", .warning))
            }
            lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
            if showsRaw { lines += text.attributes(of: receipt) }
        }
        if !report.certificates.isEmpty {
            lines += [""] + text.certificates(report.certificates, validationDate: report.validationDate)
        }
        return lines
    }

    /// What to do about each failure, each once, and with which option of this command.
    private var remedies: [String] {
        var remedies: [String] = []
        for result in report.checks {
            guard let remedy = result.remedy, !remedies.contains(remedy) else { continue }
            remedies.append(remedy)
            switch result.code {
            case "root-not-trusted", "signer-self-signed", "intermediate-signature-invalid":
                remedies.append("For a test receipt, --root FILE names its root.")
            case "xcode-not-trusted", "xcode-certificate-mismatch":
                remedies.append("Here, --trust-xcode FILE names Xcode's certificate.")
            default:
                break
            }
        }
        return remedies
    }

    private var verdict: String {
        switch report.result {
        case .success(let verified):
            let app = Terminal.harmless(
                Terminal.short(verified.receipt.bundleIdentifier ?? "an app without bundle identifier"))
            let who: String
            if verified.signerCertificate.role == .xcode {
                who = "made by Xcode for \(app); this proves nothing about a purchase"
            } else {
                who = (isApple ? "Apple signed this receipt for \(app)" : "signed under the given root for \(app)")
            }
            return terminal.styled("VALID", .good, .bold) + " – " + who + notCompared
        case .failure:
            let failure = report.firstFailure
            return terminal.styled("NOT VALID", .bad, .bold)
                + " – \(failure?.check.rawValue ?? ""): \(Terminal.harmless(Terminal.short(failure?.message ?? "", to: 400)))"
        }
    }

    /// What a careless reader of the verdict should know.
    private var notCompared: String {
        let names = report.checks
            .filter { $0.outcome == .skipped && [.bundleIdentifier, .environment, .deviceHash].contains($0.check) }
            .map { $0.check == .deviceHash ? "device" : $0.check == .environment ? "environment" : "bundle identifier" }
        return names.isEmpty ? "" : terminal.styled(" (not compared: \(names.joined(separator: ", ")))", .warning)
    }
}
