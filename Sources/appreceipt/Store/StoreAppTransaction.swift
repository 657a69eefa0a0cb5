import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store app-transaction`
@available(AppStoreServerAPI 1.0, *)
struct StoreAppTransaction: StoreCustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-transaction",
        abstract: "Shows a customer's purchase of the app itself, verified.",
        discussion: """
            The app transaction contains the first version that the customer bought or downloaded, and the date of a \
            refund. Another request checks that the App Store knows the identifier. That the app transaction is this \
            customer's can't be proven, because the App Store changes its identifier.

            With --format json: {"appTransaction": claims in Apple's names, "environment"}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store app-transaction 2000000000000001 OPTIONS
              appreceipt store app-transaction 2000000000000001 OPTIONS --format json \\
                | jq -r .appTransaction.originalApplicationVersion

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let transaction = try await client.appTransaction(ofCustomer: identifier)
        // The client verified that the app transaction is from the environment of the request.
        let environment = (transaction.environment ?? .production).rawValue
        let members = transaction.claims.members
        return StoreResult(
            json: ["appTransaction": .object(members), "environment": .string(environment)],
            lines: [SignedDataSummary(.appTransaction(transaction)).event, ""]
                + SignedDataText(terminal: .output).members(of: members, title: "App transaction, \(environment)"),
            signedDates: [transaction.signedDate])
    }
}
