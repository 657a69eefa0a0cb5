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
