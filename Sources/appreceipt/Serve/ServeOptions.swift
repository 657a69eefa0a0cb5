#if Server
import AppReceiptKit
import ArgumentParser
import VerifyReceipt

/// The apps, environments and clients that are served.
struct ServeContentOptions: ParsableArguments {
    @Option(name: .customLong("bundle-id"), help: "An app that is served. May be repeated. (default: any)")
    var bundleIdentifiers: [String] = []
    @Option(
        help: "production, sandbox or xcode. May be repeated. (default: production and sandbox)",
        completion: .list(AppStoreEnvironment.allValueStrings))
    var environment: [String] = []
    @Option(help: .number("The app's App Store identifier, which production notifications contain."))
    var appAppleID: String?
    @Flag(help: "Answer sandbox receipts at /verifyReceipt. (default: 21007, like Apple's endpoint)")
    var answerBoth = false
    @Option(
        help: ArgumentHelp(
            "The subscriptions in pending_renewal_info: known (those with signed renewal information) or always (every "
                + "subscription, as from Apple). (default: known)",
            valueName: "which"),
        completion: .list(VerifyReceiptResponder.RenewalInfo.allValueStrings))
    var renewalInfo: String?
    @Flag(
        help:
            """
            Answer signed transactions of StoreKit 2 at /verifyReceipt, and receipts and tokens among other JSON. \
            (default: 21002, like Apple's endpoint)
            """)
    var acceptSignedTransactions = false
    @Option(
        help: .file("A file with the shared secret. Requests with another 'password' get 21004."),
        completion: .file())
    var sharedSecretFile: String?
    @Option(
        help: .file("A file with the token that requests to /v1 must contain (Authorization: Bearer)."),
        completion: .file())
    var tokenFile: String?
    @Option(
        name: .customLong("allow-webhook-host"),
        help: ArgumentHelp(
            "A host to which webhooks may be sent although its address isn't public, or with http. May be repeated.",
            valueName: "host"))
    var allowedWebhookHosts: [String] = []
    @Flag(help: "Disable the web inspector.")
    var noInspector = false
    @Flag(help: "Disable the validator of cordova-plugin-purchase, which requires neither a token nor a secret.")
    var noValidator = false

    var values: [SettingOption] {
        [
            SettingOption("bundle-id", list: bundleIdentifiers), SettingOption("environment", list: environment),
            SettingOption("app-apple-id", text: appAppleID), SettingOption("answer-both", flag: answerBoth),
            SettingOption("renewal-info", text: renewalInfo),
            SettingOption("accept-signed-transactions", flag: acceptSignedTransactions),
            SettingOption("shared-secret-file", text: sharedSecretFile), SettingOption("token-file", text: tokenFile),
            SettingOption("allow-webhook-host", list: allowedWebhookHosts),
            SettingOption("no-inspector", flag: noInspector), SettingOption("no-validator", flag: noValidator),
        ]
    }
}

/// The address, the state, the log and the traces.
struct ServeAddressOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1, reachable only from this machine)")
    var host: String?
    @Option(help: "The port to listen on; 0 means any free port. (default: 8080)")
    var port: String?
    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A host name that browsers may use for the server, with or without a port. May be repeated. (default: "
                + "loopback only)",
            valueName: "host"))
    var allowedHosts: [String] = []
    @Option(
        name: .customLong("allowed-origin"),
        help: ArgumentHelp(
            "An origin whose pages may use /v1/validator, such as ionic://localhost; null or file:// for pages from "
                + "files, * for every page. May be repeated. (default: none)",
            valueName: "origin"))
    var allowedOrigins: [String] = []
    @Option(
        help: .file(
            "The database file, or the address of a PostgreSQL database: postgres://user@host/database. (default: "
                + "none; the state is in memory)"),
        completion: .file())
    var database: String?
    @Option(help: .file("A file with the password of the PostgreSQL database."), completion: .file())
    var databasePasswordFile: String?
    @Flag(help: "Store accounts as keyed hashes. (default: as they are sent)")
    var hashAccounts = false
    @Option(help: .file("A file with the other settings, as a JSON object."), completion: .file(extensions: ["json"]))
    var config: String?
    @Option(
        help: "trace, debug (every request), info, notice, warning, error or critical. (default: info)",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?
    @Option(help: "text or json. (default: text)", completion: .list(OutputFormat.allValueStrings))
    var logFormat: String?
    @Option(
        help: .url("A collector of OpenTelemetry traces: http://collector:4318. (default: none; nothing is recorded)"))
    var otlpEndpoint: String?
    @Option(
        help: ArgumentHelp(
            "The share of the traces that are recorded, unless the client decides: 0 to 1. (default: 1)",
            valueName: "ratio"))
    var traceSample: String?

    var values: [SettingOption] {
        [
            SettingOption("host", text: host), SettingOption("port", text: port),
            SettingOption("allowed-host", list: allowedHosts),
            SettingOption("allowed-origin", list: allowedOrigins),
            SettingOption("database", text: database),
            SettingOption("database-password-file", text: databasePasswordFile),
            SettingOption("hash-accounts", flag: hashAccounts),
            SettingOption("log-level", text: logLevel), SettingOption("log-format", text: logFormat),
            SettingOption("otlp-endpoint", text: otlpEndpoint), SettingOption("trace-sample", text: traceSample),
        ]
    }
}

/// The App Store Server API, which completes the server's state.
struct ServeAppStoreOptions: ParsableArguments {
    @Option(
        help: .file(
            "The In-App Purchase key (.p8) for requests to the App Store about purchases. (default: none; no "
                + "requests)"),
        completion: .file(extensions: ["p8"]))
    var storeKey: String?
    @Option(help: .id("The key's identifier in App Store Connect."))
    var storeKeyID: String?
    @Option(help: .id("The issuer identifier in App Store Connect, a UUID."))
    var storeIssuerID: String?
    @Option(help: .seconds("The time between requests to the App Store about a purchase. (default: 86400)"))
    var storeRefresh: String?
    @Option(help: .seconds("The longest time that a response waits for the App Store. (default: 2)"))
    var storePatience: String?
    @Option(help: .url("The address of the App Store's production server, for a fake or a proxy. (default: Apple's)"))
    var storeBaseURL: String?
    @Option(
        help: .url("The address of the App Store's sandbox server. (default: --store-base-url; without that, Apple's)"))
    var storeSandboxBaseURL: String?

    var values: [SettingOption] {
        [
            SettingOption("store-key", text: storeKey), SettingOption("store-key-id", text: storeKeyID),
            SettingOption("store-issuer-id", text: storeIssuerID), SettingOption("store-refresh", text: storeRefresh),
            SettingOption("store-patience", text: storePatience), SettingOption("store-base-url", text: storeBaseURL),
            SettingOption("store-sandbox-base-url", text: storeSandboxBaseURL),
        ]
    }
}

/// The limits on connections, requests and time.
struct ServeLimitOptions: ParsableArguments {
    @Option(help: .bytes("The largest request body. (default: 4194304)"))
    var maxBody: String?
    @Option(help: .bytes("The total of all request bodies and long responses in memory. (default: 268435456)"))
    var maxBodies: String?
    @Option(help: .number("The maximum number of connections. Requests on others get 503. (default: 1024)"))
    var maxConnections: String?
    @Option(help: .number("The maximum number of requests in progress. Others get 503. (default: 256)"))
    var maxRequests: String?
    @Option(help: .seconds("The time limit for a request's head, and between requests. (default: 30)"))
    var idleTimeout: String?
    @Option(help: .seconds("The time limit for a request's body. (default: 15)"))
    var bodyTimeout: String?
    @Option(help: .seconds("The time limit for sending a response. (default: 30)"))
    var answerTimeout: String?
    @Option(help: .seconds("The time limit for waiting for a processor, then 503. (default: 5)"))
    var waitTimeout: String?
    @Option(help: .seconds("The time limit for requests in progress when the server is stopped. (default: 20)"))
    var stopTimeout: String?

    var values: [SettingOption] {
        [
            SettingOption("max-body", text: maxBody), SettingOption("max-bodies", text: maxBodies),
            SettingOption("max-connections", text: maxConnections),
            SettingOption("max-requests", text: maxRequests), SettingOption("idle-timeout", text: idleTimeout),
            SettingOption("body-timeout", text: bodyTimeout),
            SettingOption("answer-timeout", text: answerTimeout), SettingOption("wait-timeout", text: waitTimeout),
            SettingOption("stop-timeout", text: stopTimeout),
        ]
    }
}

/// A setting that is also an option, with the option's values; none if the option isn't passed.
struct SettingOption {
    let name: String
    let values: [String]
    /// Whether the setting may have several values.
    let isList: Bool

    init(_ name: String, list: [String]) {
        self.name = name
        values = list
        isList = true
    }

    init(_ name: String, text: String?) {
        self.name = name
        values = text.map { [$0] } ?? []
        isList = false
    }

    init(_ name: String, flag isSet: Bool) { self.init(name, text: isSet ? "true" : nil) }
}
#endif
