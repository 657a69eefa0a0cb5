#if Server
import ArgumentParser

/// The App Store Server API, which completes the server's state.
struct ServeAppStoreOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The In-App Purchase key (.p8) with which the App Store is asked about purchases. (default: none; nothing is asked)",
            valueName: "file"),
        completion: .file(extensions: ["p8"]))
    var storeKey: String?
    @Option(help: ArgumentHelp("The key's identifier in App Store Connect.", valueName: "id"))
    var storeKeyID: String?
    @Option(help: ArgumentHelp("The issuer identifier in App Store Connect, a UUID.", valueName: "id"))
    var storeIssuerID: String?
    @Option(
        help: ArgumentHelp(
            "The time after which the App Store is asked about a purchase again. (default: 86400)", valueName: "seconds"
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
            SettingValues("store-key", storeKey), SettingValues("store-key-id", storeKeyID),
            SettingValues("store-issuer-id", storeIssuerID), SettingValues("store-refresh", storeRefresh),
            SettingValues("store-patience", storePatience), SettingValues("store-base-url", storeBaseURL),
            SettingValues("store-sandbox-base-url", storeSandboxBaseURL),
        ]
    }
}
#endif
