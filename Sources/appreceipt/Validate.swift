import AppReceiptKit
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt validate`
struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validates a receipt and shows what the customer owns.",
        discussion: """
            A check without an expected value is reported as skipped. Certificates are \
            validated at the receipt's creation date, so a genuine receipt stays valid after they expire.

            What the customer owns is shown first, for valid receipts only: from this \
            receipt alone, at the current time. 'appreceipt purchases' combines several \
            receipts and signed data, for any date.

            With --format json:

              {"verdict": "valid" or "invalid",
               "environment": "production", "sandbox", "xcode" or null,
               "failure": null or {"check", "code", "message", "remedy"},
               "checks": [{"name", "outcome", "code", "message"}],
               "products": [an object for each product, as in 'purchases';
                            empty if the receipt isn't valid],
               "receipt": {…} or null}

            "outcome" is "passed", "failed" or "skipped". "environment" is null unless the \
            signature proves it. "receipt" is proven only if the verdict is "valid".

            Examples:
              appreceipt validate receipt --bundle-id com.example.app \\
                --environment production
              appreceipt validate My.app --bundle-id com.example.app \\
                --device-id f8:ff:c2:1e:91:82
              appreceipt validate Samples/volume-purchase.receipt --root Samples/root.pem
              appreceipt validate - --format json < receipt
            """)

    @Argument(help: "The receipt: a file, an .app bundle, - for standard input, or the data itself.")
    var receipt: String

    @OptionGroup(title: "Expectations")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Also show every attribute with its raw bytes.")
    var raw = false

    func run() throws {
        let verifier = try trust.verifier()
        let now = Date()
        let report = verifier.report(source: try InputReader.data(receipt), expecting: expected.expectations, now: now)
        switch format {
        case .json:
            try JSONOutput.write(report, raw: raw)
        case .text:
            let text = ReportText(
                report: report, text: ReceiptText(terminal: .output, now: now), isApple: trust.trustsOnlyApple,
                showsRaw: raw)
            try Terminal.write(text.lines.joined(separator: "\n") + "\n")
        }
        guard report.isValid else { throw ExitCode(1) }
    }
}
