import AppReceiptKit
import ArgumentParser
import VerifyReceipt

struct VerifyReceipt: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Answers a verifyReceipt request as Apple's endpoint did.",
        discussion: """
            Reads the JSON of a request ({"receipt-data": "…", "password": "…", "exclude-old-transactions": true}) and \
            writes the JSON of the answer, computed here from the verified receipt. Why a status is not 0 stands on \
            standard error. Subscriptions are as of the receipt's signing; what a receipt does not hold is left out.

            Examples:
              appreceipt verify-receipt request.json --environment production
              printf '{"receipt-data": "%s"}' "$(base64 -w 0 receipt)" | appreceipt verify-receipt --environment both
              appreceipt verify-receipt - --environment sandbox --password-file secret < request.json | jq .status

            Exit status: 0 status 0, 1 any other status, 64 wrong usage, 66 unreadable file.
            """)

    @Argument(help: "The request: a file, or - for standard input.")
    var request = "-"

    @Option(
        help: """
            The receipts that are answered: production (others get 21007), sandbox (production gets 21008) or both.
            """)
    var environment: VerifyReceiptResponder.Environments

    @Option(
        name: .customLong("bundle-id"),
        help: "An app whose receipts are answered; others get 21003. May be repeated. (default: any)")
    var bundleIdentifiers: [String] = []

    @Option(
        help: ArgumentHelp(
            "A file with the shared secret that the request's password must be; otherwise it gets 21004.",
            valueName: "file"))
    var passwordFile: String?

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(
        help: ArgumentHelp(
            "A certificate (DER or PEM) that issued signers of transaction receipts from before iOS 7. May be repeated. (default: they get 21003)",
            valueName: "file"))
    var transactionIntermediate: [String] = []

    func run() throws {
        let responder = VerifyReceiptResponder(
            verifier: try trust.verifier(), environments: environment, sharedSecret: try sharedSecret(),
            bundleIdentifiers: bundleIdentifiers.isEmpty ? .anyBundle : .only(Set(bundleIdentifiers)),
            transactionReceipts: try TransactionReceiptTrust(
                intermediates: transactionIntermediate.map {
                    try TrustOptions.certificate("--transaction-intermediate", $0)
                }))
        let response = responder.answer(try FileInput.file(request))
        try Terminal.write(String(decoding: response.json.text(isPretty: true), as: UTF8.self) + "\n")
        guard let failure = response.failure else { return }
        Terminal.complain("\(response.status): \(failure.description)")
        Terminal.complain(failure.remedy)
        throw ExitCode(1)
    }

    /// The first line of the file, which editors and shells end with a line break.
    private func sharedSecret() throws -> SharedSecret? {
        guard let passwordFile else { return nil }
        let line = try FileInput.file(passwordFile).prefix { $0 != 0x0A && $0 != 0x0D }
        guard !line.isEmpty else {
            Terminal.complain("--password-file \(passwordFile): The file holds no secret.")
            throw ExitCode(64)
        }
        return SharedSecret(String(decoding: line, as: UTF8.self))
    }
}
