import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

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

    @OptionGroup
    var input: InputArgument

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Also show every attribute with its raw bytes.")
    var raw = false

    @Flag(help: "Also show the embedded certificates. They are untrusted.")
    var certificates = false

    func run() throws {
        switch try InputReader.item(input.input) {
        case .success(.token(let token)): try show(token: token)
        case .success(.transactionReceipt(let list)):
            let report = UnverifiedReport(
                transactionReceipt: list, certificates: certificates, remedy: CommandLineRemedies.remedy)
            try show(report) { receipt in
                text.contents(of: receipt)
                    + text.certificates(
                        report.certificates ?? [], validationDate: receipt.purchaseDate, when: "the purchase was made")
            }
        case .success(.receipt(let bytes)): try show(.success(bytes))
        case .failure(let error): try show(.failure(error))
        }
    }

    private func show(_ source: Result<ArraySlice<UInt8>, ReceiptError>) throws {
        let report = UnverifiedReport(source, certificates: certificates, remedy: CommandLineRemedies.remedy)
        try show(report) { receipt in
            text.contents(of: receipt)
                + text.certificates(
                    report.certificates ?? [], validationDate: receipt.creationDate, when: "the receipt was created")
        }
    }

    private func show<Contents>(_ report: UnverifiedReport<Contents>, text: (Contents) -> [String]) throws {
        if format == .json { try JSONOutput.write(report.json(attributes: raw, isPretty: true)) }
        switch report.result {
        case .success(let contents):
            if format == .text { try Terminal.write(lines: Self.warning + text(contents)) }
        case .failure(let error): throw failure(error)
        }
    }

    private func show(token: String) throws {
        let report = UnverifiedSignedDataReport(
            token, certificates: certificates, remedy: CommandLineRemedies.remedy)
        if format == .json { try JSONOutput.write(json: report.json) }
        let payload = SignedDataText(terminal: .output)
        switch report.result {
        case .success(let data):
            guard format == .text else { return }
            let shown = certificates ? data.certificates : []
            try Terminal.write(
                lines: Self.warning + payload.contents(of: data)
                    + text.certificates(shown, validationDate: nil, when: ""))
        case .failure(let error):
            // The payload may be readable although another part is malformed.
            if format == .text, let claims = ClaimedPurchases(token) {
                try Terminal.write(lines: Self.warning + payload.contents(of: claims))
            } else if format == .text, let members = report.payload {
                let title = "Payload (NOT VERIFIED, of a malformed token)"
                try Terminal.write(lines: payload.members(of: members, title: title))
            }
            throw failure(error)
        }
    }

    /// Reports why the input can't be read.
    private func failure(_ error: ReceiptError) -> ExitCode {
        Terminal.printError(error, about: Terminal.truncated(input.input))
        return ExitCode(1)
    }

    private var text: ReceiptText { ReceiptText(terminal: .output, now: Date(), showsRaw: raw) }

    private static let warning = [
        Terminal.output.styled("NOT VERIFIED", as: .warning, .bold)
            + " – the contents are unproven; nothing was checked.",
        "",
    ]
}
