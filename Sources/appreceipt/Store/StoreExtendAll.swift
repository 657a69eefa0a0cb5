import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store extend-all`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtendAll: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend-all",
        abstract: "Extends the subscriptions of all active subscribers of a product. This can't be undone.",
        discussion: """
            The App Store extends them over hours; 'appreceipt store extend-status' shows the progress. The request is \
            never repeated after it may have been accepted, because Apple doesn't document that it has an effect only \
            once. It goes to production, unless --environment is sandbox.

            With --format json: {"unverified": {"requestIdentifier"}, "requestIdentifier", "environment"}; or \
            {"error": {…, "outcomeUnknown": whether the request may have been accepted, "requestIdentifier"}}.

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
            try await result(from: client, requestIdentifier: identifier)
        }
    }

    func result(
        from client: AppStoreServerClient, requestIdentifier: String
    ) async throws(AppStoreServerError) -> StoreExtensionsResult {
        let environment = client.environments.first ?? .production
        _ = try await client.extendAllSubscriptions(
            ofProduct: product, by: extending.request(requestIdentifier),
            storefronts: storefront.isEmpty ? nil : storefront, in: environment)
        return StoreExtensionsResult(requestIdentifier: requestIdentifier, environment: environment, status: nil)
    }
}

/// `appreceipt store extend-status`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtendStatus: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend-status",
        abstract: "Shows the progress of extending the subscriptions of all active subscribers.",
        discussion: """
            The request goes to production, unless --environment is sandbox.

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
        try await options.run { (client) async throws(AppStoreServerError) in try await result(from: client) }
    }

    func result(from client: AppStoreServerClient) async throws(AppStoreServerError) -> StoreExtensionsResult {
        let environment = client.environments.first ?? .production
        let status = try await client.extensionStatus(
            ofProduct: product, requestIdentifier: requestID, in: environment)
        return StoreExtensionsResult(
            requestIdentifier: requestID, environment: environment, status: status.unverified)
    }
}

/// The extension of the subscriptions of all active subscribers, requested or in progress.
@available(AppStoreServerAPI 1.0, *)
struct StoreExtensionsResult: StoreResult {
    let requestIdentifier: String
    let environment: AppStoreEnvironment
    /// The progress; nil if the extension was requested only.
    let status: AppStoreServerClient.ExtensionStatus?

    var json: AppStoreJSON {
        var unverified: AppStoreJSON.Object = ["requestIdentifier": .string(requestIdentifier)]
        if let status {
            unverified["complete"] = .boolean(status.isComplete)
            unverified["completeDate"] =
                .milliseconds(status.completionDate)
            unverified["succeededCount"] = status.succeededCount.map { .number(AppStoreJSON.Number($0)) } ?? .null
            unverified["failedCount"] = status.failedCount.map { .number(AppStoreJSON.Number($0)) } ?? .null
        }
        return [
            "unverified": .object(unverified), "requestIdentifier": .string(requestIdentifier),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        guard let status else {
            return ["According to its response, the App Store extends the subscriptions in \(environment.rawValue)."]
        }
        guard status.isComplete else {
            return [
                "According to its response, the App Store is still extending subscriptions in "
                    + "\(environment.rawValue)."
            ]
        }
        let date = status.completionDate.map { " at \(ReceiptDate.string(from: $0))" } ?? ""
        let counts = [(status.succeededCount, "extended"), (status.failedCount, "not extended")]
            .compactMap { count, name in count.map { "\($0) \(name)" } }.joined(separator: ", ")
        return [
            "According to its response, the App Store finished\(date) in "
                + "\(environment.rawValue)\(counts.isEmpty ? "" : ": \(counts)")."
        ]
    }

    var notes: [String] { ["Apple doesn't sign this response.", "Request identifier: \(requestIdentifier)"] }
}
