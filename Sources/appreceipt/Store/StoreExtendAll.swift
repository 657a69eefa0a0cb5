import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store extend-all`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtendAll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend-all",
        abstract: "Extends the subscriptions of all active subscribers of a product. This can't be undone.",
        discussion: """
            The App Store extends them over hours; 'appreceipt store extend-status' shows the progress. The request is never \
            repeated after it may have been accepted, because Apple doesn't document that it has an effect only once. Only \
            production is asked, unless --environment is sandbox.

            With --format json: {"unverified": {"requestIdentifier"}, "requestIdentifier", "environment"}; or {"error": {…, \
            "outcomeUnknown": whether the request may have been accepted, "requestIdentifier"}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store extend-all --product com.example.plus --days 3 --reason outage OPTIONS
              appreceipt store extend-all --product com.example.plus --days 3 --reason outage --storefront DEU OPTIONS

            \(StoreHelp.exitStatus)
            """)

    @Option(help: "The subscription.", transform: ArgumentConversion.nonEmpty)
    var product: String

    @Option(
        help: ArgumentHelp(
            "A storefront whose subscribers are extended, three letters such as USA. May be repeated. (default: all)",
            valueName: "code"), transform: Self.storefront)
    var storefront: [String] = []

    @OptionGroup
    var extending: StoreExtensionOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    private static func storefront(_ code: String) throws -> String {
        guard code.utf8.count == 3, code.utf8.allSatisfy({ (0x41...0x5A).contains($0 & 0xDF) }) else {
            throw ValidationError("Expected a country code of three letters, for example USA.")
        }
        return code.uppercased()
    }

    func run() async throws {
        let identifier = extending.requestIdentifier
        try await options.run(changing: .renewalExtensions(ofProduct: product, requestIdentifier: identifier)) {
            (client) async throws(AppStoreServerError) in
            try await result(client, requestIdentifier: identifier)
        }
    }

    func result(
        _ client: AppStoreServerClient, requestIdentifier: String
    ) async throws(AppStoreServerError) -> StoreExtensionsResult {
        let environment = client.environments.first ?? .production
        _ = try await client.extendAllSubscriptions(
            ofProduct: product, by: extending.request(requestIdentifier),
            storefronts: storefront.isEmpty ? nil : storefront, in: environment)
        return StoreExtensionsResult(requestIdentifier: requestIdentifier, environment: environment, status: nil)
    }
}
