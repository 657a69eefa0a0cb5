import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store app-account-token`
@available(AppStoreServerAPI 1.0, *)
struct StoreAppAccountToken: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-account-token",
        abstract: "Binds a purchase to an account of your system.",
        discussion: """
            For purchases that were made outside of the app, such as with an offer code. The token replaces an earlier \
            one, and is in every transaction of the purchase that the App Store signs from then on.

            With --format json: {"accepted": true, "originalTransactionId", "appAccountToken", "environment"}; or \
            {"error": {…, "outcomeUnknown": whether the App Store may have received it}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store app-account-token 2000000000000001 \\
                --token 7EDEA87D-98F0-42D0-9682-49CA81022F73 OPTIONS

            \(StoreHelp.exitStatus)
            """)

    @Argument(
        help: "The original transaction identifier of the purchase.",
        transform: ArgumentConversion.transactionIdentifier)
    var original: String

    @Option(help: .uuid("The account: a UUID of your system."), transform: ArgumentConversion.uuid)
    var token: UUID

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    var change: StoreChange? { .appAccountToken }

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let environment = try await client.setAppAccountToken(token, ofOriginalTransaction: original)
        return StoreResult(
            json: [
                "accepted": true, "originalTransactionId": .string(original),
                "appAccountToken": .string(token.uuidString.lowercased()), "environment": .string(environment.rawValue),
            ], lines: ["The App Store bound the purchase to the account in \(environment.rawValue)."])
    }
}
