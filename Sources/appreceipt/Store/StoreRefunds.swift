import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store refunds`
@available(AppStoreServerAPI 1.0, *)
struct StoreRefunds: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "refunds",
        abstract: "Shows the refunded transactions of a customer, verified.",
        discussion: """
            Refunds alone don't show what the customer owns, because the customer may have bought a product again: see \
            'appreceipt store history'.

            The JSON is that of 'appreceipt store history' without products.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store refunds 2000000000000001 OPTIONS
              appreceipt store refunds --receipt receipt OPTIONS

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        let customer = try customer.customer(options)
        let progress = StoreProgress()
        try await options.run(environments: customer.environments, progress: progress) {
            (client) async throws(AppStoreServerError) in
            StoreTransactionsResult(
                refunds: try await client.refunds(ofCustomer: customer.identifier).collected { page in
                    progress.add(page.transactions.count, "refunds", in: page.environment, hasMore: page.hasMore)
                })
        }
    }
}
