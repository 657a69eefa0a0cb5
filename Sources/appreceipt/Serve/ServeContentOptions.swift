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
        completion: .list(ReceiptEnvironment.Base.allValueStrings))
    var environment: [String] = []
    @Option(
        help: ArgumentHelp(
            "The app's App Store identifier, which production notifications contain.", valueName: "number"))
    var appAppleID: String?
    @Flag(help: "Answer sandbox receipts at /verifyReceipt. (default: 21007, like Apple's endpoint)")
    var answerBoth = false
    @Option(
        help: ArgumentHelp(
            "The subscriptions in pending_renewal_info: known (those with signed renewal information) or always (every subscription, as from Apple). (default: known)",
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
            SettingValues("bundle-id", bundleIdentifiers), SettingValues("environment", environment),
            SettingValues("app-apple-id", appAppleID), SettingValues("answer-both", answerBoth),
            SettingValues("renewal-info", renewalInfo),
            SettingValues("shared-secret-file", sharedSecretFile), SettingValues("token-file", tokenFile),
            SettingValues("no-inspector", noInspector),
        ]
    }
}
#endif
