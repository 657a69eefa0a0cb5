import AppReceiptKit
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
        if let token = TokenInput.argument(receipt), TokenInput.isPlausible(Array(token.utf8)) {
            return try InspectToken(format: format, showsCertificates: certificates, name: "the token").show(token)
        }
        let source = try FileInput.receipt(receipt)
        if case .success(let bytes) = source, TokenInput.isPlausible(bytes) {
            return try InspectToken(format: format, showsCertificates: certificates, name: receipt).show(
                TokenInput.token(in: bytes))
        }
        let parsed: AppReceipt
        let summaries: [CertificateSummary]?
        do throws(ReceiptError) {
            let container = try ReceiptContainer(parsing: ReceiptInput(source.get()).der)
            parsed = try AppReceipt(container: container)
            summaries = certificates ? CertificateSummary.embedded(in: container) : nil
        } catch {
            if format == .json { try JSONOutput.write(Unreadable(failure: error), raw: raw) }
            Terminal.complain("\(receipt): \(error.description)")
            Terminal.complain(error.remedy)
            throw ExitCode(1)
        }
        switch format {
        case .json: try JSONOutput.write(Unverified(receipt: parsed, certificates: summaries), raw: raw)
        case .text: try show(parsed, summaries)
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
        if let summaries { lines += [""] + text.certificates(summaries, judgedAt: receipt.creationDate) }
        try Terminal.write(lines.joined(separator: "\n") + "\n")
    }
}

/// A receipt's own JSON, with a member that says that nothing was verified.
private struct Unverified: Encodable {
    let receipt: AppReceipt
    let certificates: [CertificateSummary]?

    enum CodingKeys: String, CodingKey { case verified, certificates }

    func encode(to encoder: any Encoder) throws {
        try receipt.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(false, forKey: .verified)
        try container.encodeIfPresent(certificates, forKey: .certificates)
    }
}

private struct Unreadable: Encodable {
    let failure: ReceiptError

    enum CodingKeys: String, CodingKey { case verified, failure }
    enum FailureKeys: String, CodingKey { case check, code, message }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(false, forKey: .verified)
        var nested = container.nestedContainer(keyedBy: FailureKeys.self, forKey: .failure)
        let stage = failure.stage == .input ? ReceiptError.Stage.container : failure.stage
        try nested.encode(stage.rawValue, forKey: .check)
        try nested.encode(failure.code.rawValue, forKey: .code)
        try nested.encode(failure.message, forKey: .message)
    }
}
