import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what a receipt or signed data says, without verifying anything.",
        discussion: """
            Anybody can make bytes that say anything. To know whether Apple signed them,
            use validate, or for a token (JWS) of StoreKit 2 signed-data.

            Examples:
              appreceipt inspect receipt
              appreceipt inspect My.app --raw --certificates
              appreceipt inspect receipt --format json | jq .purchases
              appreceipt inspect transaction.jws
            """)

    @Argument(help: "A receipt file, an .app bundle, a token or a file that holds one, or - for standard input.")
    var receipt: String

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Every attribute with its raw bytes, known and unknown.")
    var raw = false

    @Flag(help: "The certificates that the receipt carries. None of them is trusted by being there.")
    var certificates = false

    func run() throws {
        if let token = TokenInput.argument(receipt), JWSText.isPlausible(Array(token.utf8)) {
            return try InspectSignedData(format: format, showsCertificates: certificates, name: "the token").show(token)
        }
        let source = try FileInput.receipt(receipt)
        if case .success(let bytes) = source, JWSText.isPlausible(bytes) {
            return try InspectSignedData(format: format, showsCertificates: certificates, name: receipt).show(
                JWSText.token(in: bytes))
        }
        let report = UnverifiedReport(source, certificates: certificates)
        if format == .json { try JSONOutput.write(report, raw: raw) }
        switch report.result {
        case .success(let parsed):
            if format == .text { try show(parsed, report.certificates) }
        case .failure(let error):
            Terminal.complain("\(receipt): \(error.description)")
            Terminal.complain(error.remedy)
            throw ExitCode(1)
        }
    }

    private func show(_ receipt: AppReceipt, _ summaries: [CertificateSummary]?) throws {
        let text = ReceiptText(terminal: .output, now: Date())
        var lines = [
            Terminal.output.styled("NOT VERIFIED", .warning, .bold)
                + " – this is what the bytes say; nothing was checked.",
            "",
        ]
        lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
        if raw { lines += text.attributes(of: receipt) }
        if let summaries { lines += [""] + text.certificates(summaries, validationDate: receipt.creationDate) }
        try Terminal.write(lines.joined(separator: "\n") + "\n")
    }
}
