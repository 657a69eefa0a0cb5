import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store transaction`
@available(AppStoreServerAPI 1.0, *)
struct StoreTransaction: StoreCustomerCommand {
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

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let transaction = try await client.transaction(identifier)
        // The client verified that the transaction is from the environment of the request.
        let environment = transaction.environment ?? .production
        let entitlements = client.entitlements(from: [transaction], in: environment)
        let owned = EntitlementText(terminal: .output)
        let members = transaction.claims.members
        return StoreResult(
            json: [
                "products": .entitlements(entitlements), "transaction": .object(members),
                "environment": .string(environment.rawValue),
            ],
            lines: owned.products(entitlements) + [SignedDataSummary(.transaction(transaction)).event]
                + owned.reasons(entitlements) + [""]
                + SignedDataText(terminal: .output).members(
                    of: members, title: "Transaction, \(environment.rawValue)"),
            signedDates: [transaction.signedDate])
    }
}
