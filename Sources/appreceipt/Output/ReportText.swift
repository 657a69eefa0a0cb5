import AppReceiptKit

/// A report on a receipt as text: the customer's products, the verdict, the checks, what to do, and the receipt's contents.
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
                lines.append(
                    terminal.styled("The signature isn't proven, so neither are the contents below.", .warning))
            }
            lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
            if showsRaw { lines += text.attributes(of: receipt) }
        }
        if !report.certificates.isEmpty {
            lines += [""] + text.certificates(report.certificates, validationDate: report.validationDate)
        }
        return lines
    }

    /// What to do about the failures.
    private var remedies: [String] {
        Advice.remedies(for: report.checks.compactMap { result in result.remedy.map { (result.code ?? "", $0) } })
    }

    private var verdict: String {
        switch report.result {
        case .success(let verified):
            let app = Terminal.harmless(
                Terminal.short(verified.receipt.bundleIdentifier ?? "an app without bundle identifier"))
            let signer: String
            if verified.signerCertificate.role == .xcode {
                signer = "made by Xcode for \(app); this proves nothing about a purchase"
            } else {
                signer = isApple ? "Apple signed this receipt for \(app)" : "signed under the given root for \(app)"
            }
            return terminal.styled("VALID", .good, .bold) + " – " + signer + notCompared
        case .failure:
            let failure = report.firstFailure
            return terminal.styled("NOT VALID", .bad, .bold)
                + " – \(failure?.check.rawValue ?? ""): \(Terminal.harmless(Terminal.short(failure?.message ?? "", to: 400)))"
        }
    }

    /// The expectations that were not given, so that "valid" isn't overestimated.
    private var notCompared: String {
        let names = report.checks
            .filter { $0.outcome == .skipped && [.bundleIdentifier, .environment, .deviceHash].contains($0.check) }
            .map { $0.check == .deviceHash ? "device" : $0.check == .environment ? "environment" : "bundle identifier" }
        return names.isEmpty ? "" : terminal.styled(" (not compared: \(names.joined(separator: ", ")))", .warning)
    }
}
