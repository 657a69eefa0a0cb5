import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store extend`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtend: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Extends a customer's subscription. This can't be undone.",
        discussion: """
            The App Store extends an active subscription by 1 to 90 days, at most twice a year. A repeated request with the \
            same --request-id extends once, so repeat a failed command with the request identifier that it shows.

            With --format json: {"unverified": {"originalTransactionId", "webOrderLineItemId", "success", "effectiveDate"}, \
            "requestIdentifier", "environment"}; or {"error": {…, "outcomeUnknown": whether it may have been extended, \
            "requestIdentifier"}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store extend 2000000000000001 --days 14 --reason outage OPTIONS

            \(StoreHelp.exitStatus)
            """)

    @Argument(
        help: "The original transaction identifier of the subscription.",
        transform: ArgumentConversion.transactionIdentifier)
    var original: String

    @OptionGroup
    var extending: StoreExtensionOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        let identifier = extending.requestIdentifier
        try await options.run(changing: .renewalExtension(requestIdentifier: identifier)) {
            (client) async throws(AppStoreServerError) in
            try await result(client, requestIdentifier: identifier)
        }
    }

    func result(
        _ client: AppStoreServerClient, requestIdentifier: String
    ) async throws(AppStoreServerError) -> StoreExtensionResult {
        StoreExtensionResult(
            response: try await client.extendSubscription(original, by: extending.request(requestIdentifier)),
            requestIdentifier: requestIdentifier)
    }
}
