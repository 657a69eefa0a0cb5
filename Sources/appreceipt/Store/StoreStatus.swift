import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store status`
@available(AppStoreServerAPI 1.0, *)
struct StoreStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Shows the subscriptions of a customer with their renewal, verified, and what the customer owns.",
        discussion: """
            What the customer owns is derived from the signed transactions and renewal information. The status that the App \
            Store adds isn't signed, so it is shown as unverified and has no effect.

            With --format json: {"products": [as in 'appreceipt purchases'], "subscriptions": [{"originalTransactionId", \
            "transaction", "renewalInfo", "unverified": {"status", "subscriptionGroupIdentifier"}}], "rejected": […], \
            "environment"}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store status 2000000000000001 OPTIONS
              appreceipt store status --receipt receipt OPTIONS --format json | jq .products

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        let customer = try customer.customer(options)
        try await options.run(environments: customer.environments) { (client) async throws(AppStoreServerError) in
            try await result(customer.identifier, client)
        }
    }

    func result(
        _ identifier: String, _ client: AppStoreServerClient
    ) async throws(AppStoreServerError) -> StoreStatusResult {
        StoreStatusResult(
            try await client.subscriptionStatuses(ofCustomer: identifier), bundleIdentifier: client.bundleIdentifier,
            at: client.configuration.clock.now())
    }
}
