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
    @Option(
        help: ArgumentHelp(
            "The app's App Store identifier, which production notifications contain.", valueName: "number"))
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
    @Option(
        help: ArgumentHelp(
            "A file with the shared secret. Requests with another 'password' get 21004.", valueName: "file"),
        completion: .file())
    var sharedSecretFile: String?
    @Option(
        help: ArgumentHelp(
            "A file with the token that requests to /v1 must contain (Authorization: Bearer).", valueName: "file"),
        completion: .file())
    var tokenFile: String?
    @Flag(help: "Disable the web inspector.")
    var noInspector = false

    var values: [SettingValues] {
        [
            SettingValues("bundle-id", list: bundleIdentifiers), SettingValues("environment", list: environment),
            SettingValues("app-apple-id", text: appAppleID), SettingValues("answer-both", flag: answerBoth),
            SettingValues("renewal-info", text: renewalInfo),
            SettingValues("shared-secret-file", text: sharedSecretFile), SettingValues("token-file", text: tokenFile),
            SettingValues("no-inspector", flag: noInspector),
        ]
    }
}

/// The address, the state and the log.
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
        help: ArgumentHelp("The database file. (default: none; the state is in memory)", valueName: "file"),
        completion: .file())
    var database: String?
    @Option(
        help: ArgumentHelp("A file with the other settings, as a JSON object.", valueName: "file"),
        completion: .file(extensions: ["json"]))
    var config: String?
    @Option(
        help: "trace, debug (every request), info, notice, warning, error or critical. (default: info)",
        completion: .list(["trace", "debug", "info", "notice", "warning", "error", "critical"]))
    var logLevel: String?
    @Option(help: "text or json. (default: text)", completion: .list(OutputFormat.allValueStrings))
    var logFormat: String?

    var values: [SettingValues] {
        [
            SettingValues("host", text: host), SettingValues("port", text: port),
            SettingValues("allowed-host", list: allowedHosts),
            SettingValues("database", text: database),
            SettingValues("log-level", text: logLevel), SettingValues("log-format", text: logFormat),
        ]
    }
}

/// The App Store Server API, which completes the server's state.
struct ServeAppStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The In-App Purchase key (.p8) for requests to the App Store about purchases. (default: none; no requests)",
            valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var storeKey: String?
    @Option(help: ArgumentHelp("The key's identifier in App Store Connect.", valueName: "id"))
    var storeKeyID: String?
    @Option(help: ArgumentHelp("The issuer identifier in App Store Connect, a UUID.", valueName: "id"))
    var storeIssuerID: String?
    @Option(
        help: ArgumentHelp(
            "The time between requests to the App Store about a purchase. (default: 86400)", valueName: "seconds"
        ))
    var storeRefresh: String?
    @Option(
        help: ArgumentHelp(
            "The longest time that a response waits for the App Store. (default: 2)", valueName: "seconds"))
    var storePatience: String?
    @Option(
        help: ArgumentHelp(
            "The address of the App Store's production server, for a fake or a proxy. (default: Apple's)",
            valueName: "url"))
    var storeBaseURL: String?
    @Option(
        help: ArgumentHelp(
            "The address of the App Store's sandbox server. (default: --store-base-url; without that, Apple's)",
            valueName: "url"))
    var storeSandboxBaseURL: String?

    var values: [SettingValues] {
        [
            SettingValues("store-key", text: storeKey), SettingValues("store-key-id", text: storeKeyID),
            SettingValues("store-issuer-id", text: storeIssuerID), SettingValues("store-refresh", text: storeRefresh),
            SettingValues("store-patience", text: storePatience), SettingValues("store-base-url", text: storeBaseURL),
            SettingValues("store-sandbox-base-url", text: storeSandboxBaseURL),
        ]
    }
}

/// The limits on connections, requests and time.
struct ServeLimitOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The largest request body. (default: 4194304)", valueName: "bytes"))
    var maxBody: String?
    @Option(
        help: ArgumentHelp(
            "The total of all request bodies and long responses in memory. (default: 268435456)", valueName: "bytes"))
    var maxBodies: String?
    @Option(
        help: ArgumentHelp(
            "The maximum number of connections. Requests on others get 503. (default: 1024)", valueName: "number"))
    var maxConnections: String?
    @Option(
        help: ArgumentHelp(
            "The maximum number of requests in progress. Others get 503. (default: 256)", valueName: "number"))
    var maxRequests: String?
    @Option(
        help: ArgumentHelp(
            "The time limit for a request's head, and between requests. (default: 30)", valueName: "seconds"))
    var idleTimeout: String?
    @Option(help: ArgumentHelp("The time limit for a request's body. (default: 15)", valueName: "seconds"))
    var bodyTimeout: String?
    @Option(help: ArgumentHelp("The time limit for sending a response. (default: 30)", valueName: "seconds"))
    var answerTimeout: String?
    @Option(
        help: ArgumentHelp("The time limit for waiting for a processor, then 503. (default: 5)", valueName: "seconds"))
    var waitTimeout: String?
    @Option(
        help: ArgumentHelp(
            "The time limit for requests in progress when the server is stopped. (default: 20)", valueName: "seconds"))
    var stopTimeout: String?

    var values: [SettingValues] {
        [
            SettingValues("max-body", text: maxBody), SettingValues("max-bodies", text: maxBodies),
            SettingValues("max-connections", text: maxConnections),
            SettingValues("max-requests", text: maxRequests), SettingValues("idle-timeout", text: idleTimeout),
            SettingValues("body-timeout", text: bodyTimeout),
            SettingValues("answer-timeout", text: answerTimeout), SettingValues("wait-timeout", text: waitTimeout),
            SettingValues("stop-timeout", text: stopTimeout),
        ]
    }
}

/// The values of a setting from its option. Empty if the option isn't passed.
struct SettingValues {
    let name: String
    let values: [String]

    init(_ name: String, list: [String]) {
        self.name = name
        values = list
    }

    init(_ name: String, text: String?) { self.init(name, list: text.map { [$0] } ?? []) }

    init(_ name: String, flag isSet: Bool) { self.init(name, list: isSet ? ["true"] : []) }
}
#endif
