import AppReceiptKit
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

struct SignedData: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "signed-data",
        abstract: "Says whether Apple signed data of StoreKit 2, and why not.",
        discussion: """
            Takes a token (JWS): a signed transaction, renewal information, an app
            transaction, or a notification of the App Store's server, whose own tokens
            are verified too. The body of the server's request ({"signedPayload": "…"})
            will do as well. Certificates are judged when the token was signed.

            With --format json: {"verdict", "kind", "environment", "failure":
            {"check", "code", "message", "remedy"}, "checks": [{"name", "outcome",
            "code", "message"}], "payload", "nested": {"signedTransactionInfo": …}}; what is
            absent is null, and the payload is proven only if the verdict is valid.

            Examples:
              appreceipt signed-data transaction.jws --bundle-id com.example.app \\
                --environment production
              appreceipt signed-data eyJhbGciOiJFUzI1NiIs… --bundle-id com.example.app
              appreceipt signed-data - --format json < notification.jws \
                | jq 'select(.verdict == "valid") | .payload'

            Exit status: 0 valid, 1 not valid or no token, 64 wrong usage, 66
            unreadable file.
            """)

    @Argument(help: "The token itself, a file that holds it, or - for standard input.")
    var token: String

    @Option(help: "What it must be: transaction, renewal-info, app-transaction or notification. (default: any of them)")
    var kind: SignedDataKind?

    @Option(help: "The bundle identifier that the data must be for.")
    var bundleID: String?

    @Option(help: "An environment that is accepted: production, sandbox or xcode. May be repeated.")
    var environment: [ReceiptEnvironment.Base] = []

    @Option(
        help: ArgumentHelp(
            "The app's number in the App Store, which notifications and app transactions from production name.",
            valueName: "number"))
    var appAppleID: UInt64?

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp("The device that it must be signed for: its deviceVerificationID.", valueName: "uuid"),
        transform: Convert.uuid)
    var device: UUID?

    @OptionGroup(title: "Trust")
    var trust: TrustOptions

    @Option(help: "text or json.")
    var format: OutputFormat = .text

    func run() throws {
        let verifier = SignedDataVerifier(anchors: try trust.anchors(), xcode: try trust.xcode())
        let expectations = SignedDataExpectations(
            bundleIdentifier: bundleID.map { .identifier($0) } ?? .anyBundle,
            environments: environment.isEmpty ? .anyEnvironment : .only(Set(environment)),
            appAppleIdentifier: appAppleID.map { .identifier($0) } ?? .anyApp,
            device: device.map { .identifier($0) } ?? .anyDevice)
        let now = Date()
        let report = verifier.report(try TokenInput.token(token), as: kind, expecting: expectations, now: now)
        switch format {
        case .json:
            try Terminal.write(String(decoding: report.json.text(isPretty: true), as: UTF8.self) + "\n")
        case .text:
            let text = SignedDataText(
                report: report, text: ReceiptText(terminal: .output, now: now), isApple: trust.trustsOnlyApple)
            try Terminal.write(text.lines.joined(separator: "\n") + "\n")
        }
        guard report.isValid else { throw ExitCode(1) }
    }
}

/// A token that the command line names.
enum TokenInput {
    /// The token itself, that in a file, or that in the body of a request of the App Store's server.
    static func token(_ argument: String) throws -> String {
        try Self.argument(argument) ?? JWSText.token(in: FileInput.file(argument))
    }

    /// How texts begin that people copy in place of a file's name.
    private static let beginnings = ["eyJ", "\"", "{", "[", "Bearer ", " ", "\n"]

    /// The argument, if it is a token itself and not the name of a file.
    static func argument(_ text: String) -> String? {
        let isText = text.utf8.count > 255 || beginnings.contains { text.hasPrefix($0) } && text.utf8.count > 20
        guard isText, !FileManager.default.fileExists(atPath: text) else { return nil }
        return JWSText.token(in: text.utf8)
    }
}
