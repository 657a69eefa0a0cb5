import AppReceiptKit

/// A report on a receipt as text: the customer's products with reasons, the verdict, the checks, and the receipt's contents.
struct ReportText {
    let report: ReceiptReport
    let text: ReceiptText
    /// Whether the anchors are Apple's.
    let isApple: Bool
    /// Whether every attribute is shown.
    let showsRaw: Bool

    private var terminal: Terminal { text.terminal }

    var lines: [String] {
        let sections = ReportSections(report: report, terminal: terminal, isApple: isApple)
        var lines: [String] = []
        if let entitlements = report.entitlements?.all, let verified = try? report.result.get() {
            let owned = EntitlementText(terminal: terminal)
            lines += owned.products(entitlements) + owned.volumePurchase(verified, at: text.now)
            lines += owned.reasons(entitlements) + [""]
        }
        lines += sections.verdict(report.receipt?.bundleIdentifier ?? "an app without bundle identifier")
        lines += [""] + sections.checks
        if let receipt = report.receipt {
            lines += [""] + sections.unprovenWarning
            lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
            if showsRaw { lines += text.attributes(of: receipt) }
        }
        if !report.certificates.isEmpty {
            lines += [""] + text.certificates(report.certificates, validationDate: report.validationDate)
        }
        return lines
    }
}
