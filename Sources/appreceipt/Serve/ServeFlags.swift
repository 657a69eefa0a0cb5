#if Server
import ArgumentParser

/// A setting's name and what a flag says of it; no values if the flag was not given.
typealias FlagValues = (name: String, values: [String])

private func given(_ name: String, _ value: String?) -> FlagValues { (name, value.map { [$0] } ?? []) }

private func given(_ name: String, _ isSet: Bool) -> FlagValues { (name, isSet ? ["true"] : []) }

/// Where it listens and keeps its state, and what it says.
struct PlaceFlags: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1, which only this machine reaches)")
    var host: String?
    @Option(help: "The port to listen on; 0 lets the system choose. (default: 8080)")
    var port: String?
    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A host under which browsers may use the server, with or without a port. May be repeated. (default: loopback only)",
            valueName: "host"))
    var allowedHosts: [String] = []
    @Option(help: ArgumentHelp("The database. (default: none, the state is kept in memory)", valueName: "file"))
    var database: String?
    @Option(help: ArgumentHelp("A JSON object with the other settings.", valueName: "file"))
    var config: String?
    @Option(help: "trace, debug (every request), info, notice, warning, error or critical. (default: info)")
    var logLevel: String?
    @Option(help: "text or json. (default: text)")
    var logFormat: String?

    var values: [FlagValues] {
        [
            given("host", host), given("port", port), ("allowed-host", allowedHosts), given("database", database),
            given("log-level", logLevel), given("log-format", logFormat),
        ]
    }
}

/// Who and what is answered.
struct ServedFlags: ParsableArguments {
    @Option(name: .customLong("bundle-id"), help: "An app that is served. May be repeated. (default: any)")
    var bundleIdentifiers: [String] = []
    @Option(help: "production, sandbox or xcode. May be repeated. (default: production and sandbox)")
    var environment: [String] = []
    @Option(
        help: ArgumentHelp(
            "The app's number in the App Store, which production's notifications name.", valueName: "number"))
    var appAppleID: String?
    @Flag(help: "/verifyReceipt answers sandbox receipts itself. (default: 21007, as Apple's)")
    var answerBoth = false
    @Option(
        help: ArgumentHelp("A file with the shared secret that 'password' must be; otherwise 21004.", valueName: "file")
    )
    var sharedSecretFile: String?
    @Option(
        help: ArgumentHelp(
            "A file with the token that requests to /v1 must bear (Authorization: Bearer).", valueName: "file"))
    var tokenFile: String?
    @Flag(help: "Without the web inspector.")
    var noInspector = false

    var values: [FlagValues] {
        [
            ("bundle-id", bundleIdentifiers), ("environment", environment),
            given("app-apple-id", appAppleID), given("answer-both", answerBoth),
            given("shared-secret-file", sharedSecretFile), given("token-file", tokenFile),
            given("no-inspector", noInspector),
        ]
    }
}

/// Whom to trust.
struct TrustFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A root certificate (DER or PEM) to trust in place of Apple's. May be repeated; 'apple' names Apple's own, so that both are trusted.",
            valueName: "file"))
    var root: [String] = []
    @Option(help: ArgumentHelp("A certificate of Xcode's local testing to trust.", valueName: "file"))
    var trustXcode: String?
    @Option(
        help: ArgumentHelp(
            "A certificate that issued signers of receipts from before iOS 7. May be repeated.", valueName: "file"))
    var transactionIntermediate: [String] = []

    var values: [FlagValues] {
        [
            ("root", root), given("trust-xcode", trustXcode),
            ("transaction-intermediate", transactionIntermediate),
        ]
    }
}

/// How much it takes upon itself.
struct LimitFlags: ParsableArguments {
    @Option(help: ArgumentHelp("The largest body. (default: 4194304)", valueName: "bytes"))
    var maxBody: String?
    @Option(help: ArgumentHelp("All bodies and long answers together. (default: 268435456)", valueName: "bytes"))
    var maxBodies: String?
    @Option(help: ArgumentHelp("Connections; a request on one more gets 503. (default: 1024)", valueName: "number"))
    var maxConnections: String?
    @Option(help: ArgumentHelp("Requests judged at a time; one more gets 503. (default: 256)", valueName: "number"))
    var maxRequests: String?
    @Option(help: ArgumentHelp("For a request's head, and between requests. (default: 30)", valueName: "seconds"))
    var idleTimeout: String?
    @Option(help: ArgumentHelp("For a request's body. (default: 15)", valueName: "seconds"))
    var bodyTimeout: String?
    @Option(help: ArgumentHelp("For an answer to be taken. (default: 30)", valueName: "seconds"))
    var answerTimeout: String?
    @Option(help: ArgumentHelp("For a processor; then 503. (default: 5)", valueName: "seconds"))
    var waitTimeout: String?
    @Option(help: ArgumentHelp("For requests in flight when it is stopped. (default: 20)", valueName: "seconds"))
    var stopTimeout: String?

    var values: [FlagValues] {
        [
            given("max-body", maxBody), given("max-bodies", maxBodies), given("max-connections", maxConnections),
            given("max-requests", maxRequests), given("idle-timeout", idleTimeout), given("body-timeout", bodyTimeout),
            given("answer-timeout", answerTimeout), given("wait-timeout", waitTimeout),
            given("stop-timeout", stopTimeout),
        ]
    }
}
#endif
