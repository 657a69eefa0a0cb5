import AppReceiptFoundation
import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store history`
@available(AppStoreServerAPI 1.0, *)
struct StoreHistory: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows the transactions of a customer, verified, and what the customer owns.",
        discussion: """
            Asks for the transaction history only, page by page. Finished consumables are included. For the state of a \
            subscription's renewal, use 'appreceipt store status'.

            If a page can't be read, nothing is shown: a part of a history would look like all of it.

            --revision continues from the "revision" of an earlier result, with the same --environment, and shows only \
            what changed since. What the customer owns isn't shown then, because a part of the transactions doesn't \
            prove it.

            With --format json: {"products": [as in 'appreceipt purchases'], "transactions": [claims in Apple's names \
            and order], "rejected": [{"index", "code", "message", "remedy", "documentation"}], "environment", \
            "revision"}; or {"error": {"code", "appleErrorCode", "message", "remedy", "httpStatus", "environment", …}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store history 2000000000000001 OPTIONS
              appreceipt store history --receipt receipt OPTIONS --format json

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @Option(
        help: ArgumentHelp("The revision of an earlier result. Requires --environment.", valueName: "text"),
        transform: ArgumentConversion.nonEmpty)
    var revision: String?

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func validate() throws {
        guard revision == nil || options.environment != nil else {
            throw ValidationError("--revision requires --environment, the environment of the earlier result.")
        }
    }

    func run() async throws {
        let customer = try customer.customer(options)
        let progress = StoreProgress()
        try await options.run(environments: customer.environments, progress: progress) {
            (client) async throws(AppStoreServerError) in
            try await result(forCustomer: customer.identifier, from: client, progress: progress)
        }
    }

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient,
        progress: StoreProgress = StoreProgress()
    ) async throws(AppStoreServerError) -> StoreTransactionsResult {
        let cursor = revision.map {
            AppStoreServerCursor(environment: client.environments.first ?? .production, revision: $0)
        }
        let history = try await client.history(
            ofCustomer: identifier, query: AppStoreServerClient.HistoryQuery(cursor: cursor)
        ).collected { page in
            progress.add(page.transactions.count, named: "transactions", in: page.environment, hasMore: page.hasMore)
        }
        return StoreTransactionsResult(
            history: history, isWhole: cursor == nil, bundleIdentifier: client.bundleIdentifier,
            at: client.configuration.clock.now())
    }
}

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
                    progress.add(page.transactions.count, named: "refunds", in: page.environment, hasMore: page.hasMore)
                })
        }
    }
}

/// `appreceipt store order`
@available(AppStoreServerAPI 1.0, *)
struct StoreOrder: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Shows the transactions of an order, verified.",
        discussion: """
            The order identifier is in the customer's email from Apple. Apple sends such emails for production only, \
            so the request goes to production, unless --environment is sandbox.

            With --format json: {"products": [as in 'appreceipt purchases'], "transactions": [claims in Apple's names \
            and order], "rejected": […], "environment", "unverified": {"status": 0 if the App Store knows the order, 1 \
            if not}}; or {"error": {…}}. An unknown order is a result with status 1, not an error.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store order MM5TNX2WZ0 OPTIONS

            \(StoreHelp.exitStatus) An unknown order is 1.
            """)

    @Argument(help: "The order identifier.")
    var order: String

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        try await options.run { (client) async throws(AppStoreServerError) in try await result(from: client) }
    }

    func result(from client: AppStoreServerClient) async throws(AppStoreServerError) -> StoreTransactionsResult {
        // No request to the sandbox after 401: it knows no orders, so its response would hide the failure.
        let found = try await client.order(order, in: client.environments.first ?? .production)
        return StoreTransactionsResult(
            order: found, bundleIdentifier: client.bundleIdentifier, at: client.configuration.clock.now())
    }
}
