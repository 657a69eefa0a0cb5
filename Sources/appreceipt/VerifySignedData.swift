import AppReceiptFoundation
import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

/// `appreceipt signed-data`
struct VerifySignedData: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signed-data",
        abstract: "Verifies that Apple signed StoreKit 2 data, and explains a failure.",
        discussion: """
            Accepts a token (JWS): a signed transaction, renewal information, an app
            transaction, a realtime request of retention messaging, or an App Store server
            notification, whose nested tokens are verified too. Also accepts a token
            inside the body of the App Store's request ({"signedPayload": "…"}), a
            response of its server API, quotation marks, or UTF-16. Certificates are
            validated at the date of signing.

            What the customer owns is shown first, for valid data only: from this data
            alone, at the current time. The transaction and the renewal information of a
            notification count together. 'appreceipt purchases' combines several inputs,
            for any date.

            With --format json: {"verdict", "kind", "environment", "failure":
            {"check", "code", "message", "remedy", "documentation"}, "products": [an object
            for each product, as in 'purchases'; empty if the data isn't valid], "checks":
            [{"name", "outcome", "code", "message"}], "payload", "nested":
            {"signedTransactionInfo": …}}. Absent values are null. The payload is proven
            only if the verdict is "valid".

            Examples:
              appreceipt signed-data transaction.jws --bundle-id com.example.app \\
                --environment production
              appreceipt signed-data eyJhbGciOiJFUzI1NiIs… --bundle-id com.example.app
              appreceipt signed-data - --format json < notification.jws \\
                | jq 'select(.verdict == "valid") | .payload'

            Exit status: 0 valid, 1 invalid or not a token, 64 wrong usage, 66
            unreadable file.
            """)

    @Argument(help: "The token itself, a file that contains it, or - for standard input.", completion: .file())
    var token: String

    @OptionGroup
    var single: SingleInput

    @Option(
        help:
            """
            The expected kind: transaction, renewal-info, app-transaction, notification or realtime-request. (default: \
            any)
            """
    )
    var kind: SignedDataKind?

    @OptionGroup(title: "Expectations")
    var app: AppOptions

    @Option(
        help: .number(
            "The app's App Store identifier, which notifications, app transactions and realtime requests from "
                + "production contain."))
    var appAppleID: UInt64?

    @Option(
        name: .customLong("device-id"),
        help: .uuid("The device that the data must be signed for: its deviceVerificationID."),
        transform: ArgumentConversion.uuid)
    var device: UUID?

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() throws {
        let verifier = try trust.verifiers().signedData
        let expectations = SignedDataExpectations(
            bundleIdentifier: app.bundleIdentifier, environments: app.environments,
            appAppleIdentifier: appAppleID.map { [$0] } ?? .anyApp,
            device: device.map { [$0] } ?? .anyDevice)
        let now = Date()
        let report = verifier.report(try jws(), as: kind, expecting: expectations, now: now)
        try ReportOutput(format: format, isApple: trust.trustsOnlyApple, now: now).write(report)
    }

    private func jws() throws -> String {
        switch try InputReader.token(token) {
        case .success(let text): return text
        case .failure(let error): throw InputReader.unreadable(token, because: error.message)
        }
    }
}
