import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store extend-all`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtendAll: StoreCommand {
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

    var change: StoreChange? {
        .renewalExtensions(ofProduct: product, requestIdentifier: extending.requestIdentifier)
    }

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let environment = client.environments.first ?? .production
        _ = try await client.extendAllSubscriptions(
            ofProduct: product, by: extending.request, storefronts: storefront.isEmpty ? nil : storefront,
            in: environment)
        return StoreResult(
            ofExtensions: extending.requestIdentifier, members: [:], in: environment,
            line: "the App Store extends the subscriptions in \(environment.rawValue).")
    }
}

@available(AppStoreServerAPI 1.0, *)
extension StoreResult {
    /// The extension of the subscriptions of all active subscribers, requested or in progress.
    ///
    /// - Parameters:
    ///   - requestIdentifier: The identifier of the request.
    ///   - members: What Apple doesn't sign.
    ///   - environment: The environment.
    ///   - line: What the App Store does.
    fileprivate init(
        ofExtensions requestIdentifier: String, members: AppStoreJSON.Object, in environment: AppStoreEnvironment,
        line: String
    ) {
        var unverified: AppStoreJSON.Object = ["requestIdentifier": .string(requestIdentifier)]
        for member in members.members { unverified[member.name] = member.value }
        self.init(
            json: [
                "unverified": .object(unverified), "requestIdentifier": .string(requestIdentifier),
                "environment": .string(environment.rawValue),
            ], lines: ["According to its response, \(line)"],
            notes: ["Apple doesn't sign this response.", "Request identifier: \(requestIdentifier)"])
    }
}

/// `appreceipt store extend-status`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtendStatus: StoreCommand {
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
        help: .id("The request identifier of 'appreceipt store extend-all'."),
        transform: ArgumentConversion.nonEmpty)
    var requestID: String

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let environment = client.environments.first ?? .production
        let status = try await client.extensionStatus(
            ofProduct: product, requestIdentifier: requestID, in: environment
        ).unverified
        return StoreResult(
            ofExtensions: requestID,
            members: [
                "complete": .boolean(status.isComplete), "completeDate": .milliseconds(status.completionDate),
                "succeededCount": status.succeededCount.map { .number(AppStoreJSON.Number($0)) } ?? .null,
                "failedCount": status.failedCount.map { .number(AppStoreJSON.Number($0)) } ?? .null,
            ], in: environment, line: Self.line(status, in: environment.rawValue))
    }

    private static func line(_ status: AppStoreServerClient.ExtensionStatus, in environment: String) -> String {
        guard status.isComplete else { return "the App Store is still extending subscriptions in \(environment)." }
        let date = status.completionDate.map { " at \(ReceiptDate.string(from: $0))" } ?? ""
        let counts = [(status.succeededCount, "extended"), (status.failedCount, "not extended")]
            .compactMap { count, name in count.map { "\($0) \(name)" } }.joined(separator: ", ")
        return "the App Store finished\(date) in \(environment)\(counts.isEmpty ? "" : ": \(counts)")."
    }
}
