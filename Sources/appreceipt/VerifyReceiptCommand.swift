import AppReceiptKit
import AppReceiptSupport
import ArgumentParser
import VerifyReceipt

/// `appreceipt verify-receipt`
struct VerifyReceiptCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify-receipt",
        abstract: "Responds to a verifyReceipt request as Apple's endpoint does.",
        discussion: """
            Reads the JSON of a request ({"receipt-data": "…", "password": "…", "exclude-old-transactions": true}) and \
            writes the JSON of the response, computed locally from the verified receipt. If the status isn't 0, \
            standard error explains it. Values that the receipt doesn't contain are left out. Signed transactions of \
            StoreKit 2 are answered in the same form, alone, in an array, or among other JSON.

            Subscriptions of an app receipt are described as of the date the receipt was signed. The one of a \
            transaction receipt (a property list) is evaluated at the current time: 21006 if it has ended. \
            Certificates are validated when the receipt was created, or the purchase of a transaction receipt was made.

            Examples:
              appreceipt verify-receipt request.json --environment production
              printf '{"receipt-data": "%s"}' "$(base64 -w 0 receipt)" | appreceipt verify-receipt --environment both
              appreceipt verify-receipt - --environment sandbox --password-file secret < request.json | jq .status

            Exit status: 0 status 0, 1 any other status, 64 wrong usage, 66 unreadable file.
            """)

    @Argument(help: "The request: a file, or - for standard input.", completion: .file())
    var request = "-"

    @Option(
        help:
            """
            The environment of the endpoint: production (other receipts get 21007), sandbox (production gets 21008) or \
            both.
            """
    )
    var environment: VerifyReceiptResponder.Environments

    @Option(
        name: .customLong("bundle-id"),
        help: "An app whose receipts are accepted; others get 21003. May be repeated. (default: any)")
    var bundleIdentifiers: [String] = []

    @Option(
        help: .file("A file with the shared secret. Requests with another password get 21004."),
        completion: .file())
    var passwordFile: String?

    @Option(
        help:
            """
            The subscriptions in pending_renewal_info: known (those with signed renewal information) or always (every \
            subscription, as from Apple).
            """
    )
    var renewalInfo = VerifyReceiptResponder.RenewalInfo.known

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    func run() throws {
        let verifiers = try trust.verifiers()
        let responder = VerifyReceiptResponder(
            verifier: verifiers.receipts, environments: environment, sharedSecret: try sharedSecret(),
            bundleIdentifiers: bundleIdentifiers.isEmpty ? .anyBundle : .only(bundleIdentifiers),
            renewalInfo: renewalInfo, signedData: verifiers.signedData)
        let response = responder.response(to: try InputReader.file(request))
        try JSONOutput.write(json: response.json)
        if let hint = response.hint { Terminal.printError("hint: \(hint)") }
        guard let failure = response.failure else { return }
        Terminal.printError(failure, about: "\(response.status)")
        throw ExitCode(1)
    }

    private func sharedSecret() throws -> SharedSecret? {
        try passwordFile.map { file in
            SharedSecret(try SecretInput.secret(inFile: file, source: "--password-file"))
        }
    }
}
