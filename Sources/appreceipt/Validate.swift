import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// `appreceipt validate`
struct Validate: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Validates a receipt or signed data and shows what the customer owns. The default subcommand.",
        discussion: """
            Accepts receipts and tokens (JWS), also inside a verifyReceipt request or response, a notification, \
            quotation marks, or UTF-16. For tokens, the result is that of 'appreceipt signed-data'. A transaction \
            receipt, a property list from before iOS 7, is one purchase: it has no original version and no device hash.

            A check without an expected value is reported as skipped. Certificates are \
            validated at the receipt's creation date, so a genuine receipt stays valid after they expire.

            What the customer owns is shown first, for valid receipts only: from this \
            receipt alone, at the current time. 'appreceipt purchases' combines several \
            receipts and signed data, for any date.

            With --format json:

              {"verdict": "valid" or "invalid",
               "kind": "transaction-receipt", only for those,
               "environment": "production", "sandbox", "xcode" or null,
               "failure": null or {"check", "code", "message", "remedy",
                                   "documentation"},
               "products": [an object for each product, as in 'purchases';
                            empty if the receipt isn't valid],
               "checks": [{"name", "outcome", "code", "message"}],
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

    @OptionGroup
    var input: InputArgument

    @OptionGroup(title: "Expectations")
    var expected: ExpectationOptions

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    @Flag(help: "Also show every attribute with its raw bytes.")
    var raw = false

    func run() throws {
        let item = try InputReader.item(input.input)
        let verifiers = try trust.verifiers()
        let now = Date()
        let output = ReportOutput(format: format, isApple: trust.trustsOnlyApple, showsRaw: raw, now: now)
        func write(_ source: Result<ArraySlice<UInt8>, ReceiptError>) throws {
            try output.write(
                verifiers.receipts.report(source: source, expecting: expected.expectations, now: now))
        }
        switch item {
        case .success(.token(let token)):
            try checkOptionsForTokens()
            try output.write(
                verifiers.signedData.report(token, expecting: expected.signedDataExpectations, now: now))
        case .success(.transactionReceipt(let list)):
            try output.write(
                verifiers.receipts.reportTransactionReceipt(list, expecting: expected.expectations, now: now))
        case .success(.receipt(let bytes)): try write(.success(bytes))
        case .failure(let error): try write(.failure(error))
        }
    }

    /// A requested check that is skipped silently would appear to have passed.
    private func checkOptionsForTokens() throws {
        let options = ExpectationOption.ofReceiptsOnly(in: expected.expectations).map(\.name) + (raw ? ["raw"] : [])
        guard let option = options.first else { return }
        throw UsageError.exit("--\(option): Only receipts have it. See 'appreceipt signed-data --help' for tokens.")
    }
}
