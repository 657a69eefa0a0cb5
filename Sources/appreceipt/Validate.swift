import AppReceiptKit
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Says whether Apple signed a receipt, and why not.",
        discussion: """
            Every check that is not given what to compare with is reported as skipped. Certificates are judged at the \
            receipt's creation date, so that a genuine receipt stays valid after they expire.

            Examples:
              appreceipt validate receipt --bundle-id com.example.app --environment production
              appreceipt validate My.app --bundle-id com.example.app --device-id f8:ff:c2:1e:91:82
              appreceipt validate Samples/volume-purchase.receipt --root Samples/root.pem
              appreceipt validate - --format json < receipt
            """)

    @Argument(help: "A receipt file, an .app bundle, or - for standard input.")
    var receipt: String

    @OptionGroup(title: "What is expected")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Every attribute with its raw bytes too.")
    var raw = false

    func run() throws {
        let verifier = try trust.verifier()
        let now = Date()
        let report = verifier.report(source: try FileInput.receipt(receipt), expecting: expected.expectations, now: now)
        switch format {
        case .json:
            try JSONOutput.write(report, raw: raw)
        case .text:
            let text = ReportText(
                report: report, text: ReceiptText(terminal: .output, now: now), isApple: trust.root.isEmpty,
                showsRaw: raw)
            try Terminal.write(text.lines.joined(separator: "\n") + "\n")
        }
        guard report.isValid else { throw ExitCode(1) }
    }
}
