import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store transaction`
@available(AppStoreServerAPI 1.0, *)
struct StoreTransaction: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction",
        abstract: "Shows one transaction, verified.",
        discussion: """
            Also finds consumables that were finished. What the transaction alone proves is shown first; other \
            transactions may change it: see 'appreceipt store history'.

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

/// One transaction.
@available(AppStoreServerAPI 1.0, *)
struct StoreTransactionResult: StoreResult {
    let transaction: VerifiedTransaction
    private let environment: AppStoreEnvironment
    private let entitlements: [Entitlement]

    init(_ transaction: VerifiedTransaction, bundleIdentifier: String, at date: Date) {
        self.transaction = transaction
        // The client verified that the transaction is from the environment of the request.
        environment = transaction.environment ?? .production
        entitlements =
            Entitlements(
                bundleIdentifier: bundleIdentifier, environment: environment, transactions: [transaction],
                at: max(date, transaction.signedDate)
            ).all
    }

    var signedDates: [Date] { [transaction.signedDate] }

    var json: AppStoreJSON {
        [
            "products": .array(entitlements.map(\.json)), "transaction": .object(transaction.claims.members),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        let owned = EntitlementText(terminal: .output)
        return owned.products(entitlements)
            + [SignedDataSummary(.transaction(transaction)).event] + owned.reasons(entitlements) + [""]
            + SignedDataText(terminal: .output).members(
                of: transaction.claims.members, title: "Transaction, \(environment.rawValue)")
    }
}
