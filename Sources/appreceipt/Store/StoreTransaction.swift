import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store transaction`
@available(AppStoreServerAPI 1.0, *)
struct StoreTransaction: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction",
        abstract: "Shows one transaction, verified.",
        discussion: """
            Also finds consumables that were finished. What the transaction alone proves is shown first; other transactions \
            may change it: see 'appreceipt store history'.

            With --format json: {"products": [as in 'appreceipt purchases'], "transaction": claims in Apple's names, \
            "environment"}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store transaction 2000000000000001 OPTIONS
              appreceipt store transaction 2000000000000001 OPTIONS --format json | jq .transaction.price

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        let customer = try customer.customer(options)
        try await options.run(environments: customer.environments) { (client) async throws(AppStoreServerError) in
            StoreTransactionResult(
                try await client.transaction(customer.identifier), bundleIdentifier: client.bundleIdentifier,
                at: client.configuration.clock.now())
        }
    }
}
