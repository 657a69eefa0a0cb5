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
            The order identifier is in the customer's email from Apple. Apple sends such emails for production only, so only \
            production is asked, unless --environment is sandbox.

            With --format json: {"products": [as in 'appreceipt purchases'], "transactions": [claims in Apple's names and \
            order], "rejected": […], "environment", "unverified": {"status": 0 if the App Store knows the order, 1 if \
            not}}; or {"error": {…}}. An unknown order is a result with status 1, not an error.

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
        // The sandbox isn't asked after 401: it knows no orders, so that its answer would hide the failure.
        let found = try await client.order(order, in: client.environments.first ?? .production)
        return StoreTransactionsResult(
            order: found, bundleIdentifier: client.bundleIdentifier, at: client.configuration.clock.now())
    }
}
