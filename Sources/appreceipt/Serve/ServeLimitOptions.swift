#if Server
import ArgumentParser

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
            SettingValues("max-body", maxBody), SettingValues("max-bodies", maxBodies),
            SettingValues("max-connections", maxConnections),
            SettingValues("max-requests", maxRequests), SettingValues("idle-timeout", idleTimeout),
            SettingValues("body-timeout", bodyTimeout),
            SettingValues("answer-timeout", answerTimeout), SettingValues("wait-timeout", waitTimeout),
            SettingValues("stop-timeout", stopTimeout),
        ]
    }
}
#endif
