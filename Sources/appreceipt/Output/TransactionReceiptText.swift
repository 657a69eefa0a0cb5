import AppReceiptKit

/// A transaction receipt as text: the sections of an app receipt.
struct TransactionReceiptText {
    let text: ReceiptText
    /// Whether the anchors are Apple's.
    let isApple: Bool
    /// Whether every value of the purchase info is shown.
    let showsRaw: Bool

    /// A report: the customer's product with its reason, the verdict, the checks, and the receipt's contents.
    func lines(for report: TransactionReceiptReport) -> [String] {
        let sections = ReportSections(report: report, terminal: text.terminal, isApple: isApple)
        var lines: [String] = []
        if let entitlements = report.entitlements?.all {
            let owned = EntitlementText(terminal: text.terminal)
            lines += owned.products(entitlements) + owned.reasons(entitlements) + [""]
        }
        lines += sections.verdict(report.contents?.bundleIdentifier ?? "an app without bundle identifier")
        lines += [""] + sections.checks
        if let receipt = report.contents {
            lines += [""] + sections.unprovenWarning + contents(receipt)
            lines += certificates(report.certificates, of: receipt)
        }
        return lines
    }

    func contents(_ receipt: TransactionReceipt) -> [String] {
        var table = Table(["", ""])
        func row(_ name: String, _ value: String?) { if let value { table.add([name, value]) } }
        row("Bundle identifier", receipt.bundleIdentifier)
        row("App version", receipt.appVersion)
        row("Environment", receipt.environmentName)
        row("Purchased", text.time(receipt.purchaseDate))
        row("App Store id", receipt.appStoreIdentifier.map { String($0) })
        row("Signature", "version \(receipt.signatureVersion)")
        let lines = [text.title("Transaction receipt")] + table.lines(text.terminal)
        return lines + [""] + text.purchases([receipt.purchase]) + (showsRaw ? values(of: receipt) : [])
    }

    /// The certificates, after an empty line; nothing if there are none.
    func certificates(_ certificates: [CertificateSummary], of receipt: TransactionReceipt) -> [String] {
        guard !certificates.isEmpty else { return [] }
        return [""]
            + text.certificates(certificates, validationDate: receipt.purchaseDate, when: "the purchase was made")
    }

    /// Every value of the purchase info.
    private func values(of receipt: TransactionReceipt) -> [String] {
        var table = Table(["key", "value"])
        for entry in receipt.info.entries { table.add([entry.key, entry.value]) }
        return ["", text.title("Purchase info")] + table.lines(text.terminal)
    }
}
