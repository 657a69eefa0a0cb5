import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store app-transaction`
@available(AppStoreServerAPI 1.0, *)
struct StoreAppTransaction: AsyncParsableCommand {
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

    func run() async throws {
        let customer = try customer.customer(options)
        try await options.run(environments: customer.environments) { (client) async throws(AppStoreServerError) in
            StoreAppTransactionResult(try await client.appTransaction(ofCustomer: customer.identifier))
        }
    }
}

/// An app transaction.
@available(AppStoreServerAPI 1.0, *)
struct StoreAppTransactionResult: StoreResult {
    let appTransaction: VerifiedAppTransaction
    private let environment: AppStoreEnvironment

    init(_ appTransaction: VerifiedAppTransaction) {
        self.appTransaction = appTransaction
        // The client verified that the app transaction is from the environment of the request.
        environment = appTransaction.environment ?? .production
    }

    var signedDates: [Date] { [appTransaction.signedDate] }

    var json: AppStoreJSON {
        ["appTransaction": .object(appTransaction.claims.members), "environment": .string(environment.rawValue)]
    }

    var lines: [String] {
        [SignedDataSummary(.appTransaction(appTransaction)).event, ""]
            + SignedDataText(terminal: .output).members(
                of: appTransaction.claims.members, title: "App transaction, \(environment.rawValue)")
    }
}
