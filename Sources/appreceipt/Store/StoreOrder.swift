import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store order`
@available(AppStoreServerAPI 1.0, *)
struct StoreOrder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Shows the transactions of an order, verified.",
        discussion: """
            The order identifier is in the customer's email from Apple. Apple sends such emails for production only.

            With --format json: {"transactions": [claims in Apple's names and order], "rejected": […], "environment", \
            "unverified": {"status": 0 if the App Store knows the order, 1 if not}}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store order MM5TNX2WZ0 OPTIONS

            \(StoreHelp.exitStatus) An unknown order is 1.
            """)

    @Argument(help: "The order identifier.")
    var order: String

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        try await options.run { (client) async throws(AppStoreServerError) in try await result(client) }
    }

    func result(_ client: AppStoreServerClient) async throws(AppStoreServerError) -> StoreTransactionsResult {
        let identifier = order
        let found = try await client.inFirstEnvironment {
            (environment) async throws(AppStoreServerError) in try await client.order(identifier, in: environment)
        }
        return StoreTransactionsResult(
            order: found, bundleIdentifier: client.bundleIdentifier, at: client.configuration.clock.now())
    }
}
