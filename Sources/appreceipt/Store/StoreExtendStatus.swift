import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store extend-status`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtendStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend-status",
        abstract: "Shows the progress of extending the subscriptions of all active subscribers.",
        discussion: """
            Only production is asked, unless --environment is sandbox.

            With --format json: {"unverified": {"requestIdentifier", "complete", "completeDate", "succeededCount", \
            "failedCount"}, "requestIdentifier", "environment"}; or {"error": {…}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store extend-status --product com.example.plus --request-id ID OPTIONS

            \(StoreHelp.exitStatus)
            """)

    @Option(help: "The subscription.", transform: ArgumentConversion.nonEmpty)
    var product: String

    @Option(
        help: ArgumentHelp("The request identifier of 'appreceipt store extend-all'.", valueName: "id"),
        transform: ArgumentConversion.nonEmpty)
    var requestID: String

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        try await options.run { (client) async throws(AppStoreServerError) in try await result(client) }
    }

    func result(_ client: AppStoreServerClient) async throws(AppStoreServerError) -> StoreExtensionsResult {
        let environment = client.environments.first ?? .production
        let status = try await client.extensionStatus(
            ofProduct: product, requestIdentifier: requestID, in: environment)
        return StoreExtensionsResult(
            requestIdentifier: requestID, environment: environment, status: status.unverified)
    }
}
