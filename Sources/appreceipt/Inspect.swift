import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt inspect`
struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows the contents of a receipt or signed data, without verifying anything.",
        discussion: """
            Nothing proves that Apple signed the contents. To verify them, use validate, or
            signed-data for a StoreKit 2 token (JWS).

            Examples:
              appreceipt inspect receipt
              appreceipt inspect My.app --raw --certificates
              appreceipt inspect receipt --format json | jq .purchases
              appreceipt inspect transaction.jws
            """)

    @Argument(
        help: "A receipt or token: a file, an .app bundle, - for standard input, or the data itself.",
        completion: .file())
    var receipt: String

    @OptionGroup
    var single: SingleInput

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Also show every attribute with its raw bytes.")
    var raw = false

    @Flag(help: "Also show the embedded certificates. They are untrusted.")
    var certificates = false

    func run() throws {
        let name = Terminal.truncated(receipt)
        let source: Result<[UInt8], ReceiptError>
        switch try InputReader.item(receipt) {
        case .success(.token(let token)):
            return try InspectSignedData(format: format, showsCertificates: certificates, name: name).show(token)
        case .success(.transactionReceipt(let list)): return try show(transactionReceipt: list, name)
        case .success(.receipt(let bytes)): source = .success(Array(bytes))
        case .failure(let error): source = .failure(error)
        }
        let report = UnverifiedReport(source, certificates: certificates, remedy: CommandLineRemedies.remedy)
        if format == .json { try JSONOutput.write(report.json(attributes: raw, isPretty: true)) }
        switch report.result {
        case .success(let parsed):
            if format == .text { try show(parsed, report.certificates) }
        case .failure(let error):
            Terminal.printError(error, about: name)
            throw ExitCode(1)
        }
    }

    private func show(transactionReceipt list: ArraySlice<UInt8>, _ name: String) throws {
        let report = UnverifiedReport(
            transactionReceipt: list, certificates: certificates, remedy: CommandLineRemedies.remedy)
        if format == .json { try JSONOutput.write(report.json(attributes: raw, isPretty: true)) }
        switch report.result {
        case .success(let receipt):
            guard format == .text else { return }
            let text = TransactionReceiptText(
                text: ReceiptText(terminal: .output, now: Date()), isApple: false, showsRaw: raw)
            try Terminal.write(
                (Self.warning + text.contents(receipt) + text.certificates(report.certificates ?? [], of: receipt))
                    .joined(separator: "\n") + "\n")
        case .failure(let error):
            Terminal.printError(error, about: name)
            throw ExitCode(1)
        }
    }

    private static let warning = [
        Terminal.output.styled("NOT VERIFIED", .warning, .bold) + " – the contents are unproven; nothing was checked.",
        "",
    ]

    private func show(_ receipt: AppReceipt, _ summaries: [CertificateSummary]?) throws {
        let text = ReceiptText(terminal: .output, now: Date())
        var lines = Self.warning
        lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
        if raw { lines += text.attributes(of: receipt) }
        if let summaries { lines += [""] + text.certificates(summaries, validationDate: receipt.creationDate) }
        try Terminal.write(lines.joined(separator: "\n") + "\n")
    }
}
