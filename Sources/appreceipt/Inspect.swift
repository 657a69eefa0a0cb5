import AppReceiptKit
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Inspect: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Shows what a receipt says, without verifying anything.",
        discussion: """
            Anybody can make bytes that say anything. To know whether Apple signed them, use validate.

            Examples:
              appreceipt inspect receipt
              appreceipt inspect My.app --raw --certificates
              appreceipt inspect receipt --format json | jq .purchases
            """)

    @Argument(help: "A receipt file, an .app bundle, or - for standard input.")
    var receipt: String

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Every attribute with its raw bytes, known and unknown.")
    var raw = false

    @Flag(help: "The certificates that the receipt carries. None of them is trusted by being there.")
    var certificates = false

    func run() throws {
        let source = try FileInput.receipt(receipt)
        do throws(ReceiptError) {
            let input = try ReceiptInput(source.get())
            let container = try ReceiptContainer(parsing: input.der)
            let parsed = try AppReceipt(container: container)
            let summaries = certificates ? CertificateSummary.embedded(in: container) : nil
            switch format {
            case .json:
                write(Unverified(receipt: parsed, certificates: summaries))
            case .text:
                show(parsed, summaries)
            }
        } catch {
            if format == .json { write(Unreadable(failure: error)) }
            Terminal.complain("\(receipt): \(error.description)")
            Terminal.complain(error.remedy)
            throw ExitCode(1)
        }
    }

    private func write(_ value: some Encodable) {
        // What is encoded here are texts and numbers; encoding cannot fail, and if it did nothing would be printed.
        try? JSONOutput.write(value, raw: raw)
    }

    private func show(_ receipt: AppReceipt, _ summaries: [CertificateSummary]?) {
        let text = ReceiptText(terminal: .output, now: Date())
        var lines = [
            Terminal.output.styled("NOT VERIFIED", .warning, .bold)
                + " – this is what the bytes say; nothing was checked.",
            "",
        ]
        lines += text.receipt(receipt) + [""] + text.purchases(receipt.purchases)
        if raw {
            lines += [""] + text.attributes(receipt.attributes, title: "Attributes")
            for (index, purchase) in receipt.purchases.enumerated() {
                lines += [""] + text.attributes(purchase.attributes, title: "Attributes of purchase \(index + 1)")
            }
        }
        if let summaries { lines += [""] + text.certificates(summaries, judgedAt: receipt.creationDate) }
        print(lines.joined(separator: "\n"))
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
