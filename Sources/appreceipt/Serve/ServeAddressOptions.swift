#if Server
import ArgumentParser

/// The address, the state and the log.
struct ServeAddressOptions: ParsableArguments {
    @Option(help: "The address to listen on. (default: 127.0.0.1, reachable only from this machine)")
    var host: String?
    @Option(help: "The port to listen on; 0 means any free port. (default: 8080)")
    var port: String?
    @Option(
        name: .customLong("allowed-host"),
        help: ArgumentHelp(
            "A host name that browsers may use for the server, with or without a port. May be repeated. (default: loopback only)",
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
            SettingValues("host", host), SettingValues("port", port), SettingValues("allowed-host", allowedHosts),
            SettingValues("database", database),
            SettingValues("log-level", logLevel), SettingValues("log-format", logFormat),
        ]
    }
}
#endif
