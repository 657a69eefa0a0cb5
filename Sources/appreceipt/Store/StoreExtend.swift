import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store extend`
@available(AppStoreServerAPI 1.0, *)
struct StoreExtend: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "extend",
        abstract: "Extends a customer's subscription. This can't be undone.",
        discussion: """
            The App Store extends an active subscription by 1 to 90 days, at most twice a year. A repeated request \
            with the same --request-id extends once, so repeat a failed command with the request identifier that it \
            shows.

            With --format json: {"unverified": {"originalTransactionId", "webOrderLineItemId", "success", \
            "effectiveDate"}, "requestIdentifier", "environment"}; or {"error": {…, "outcomeUnknown": whether it may \
            have been extended, "requestIdentifier"}}.

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

    var change: StoreChange? { .renewalExtension(requestIdentifier: extending.requestIdentifier) }

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let response = try await client.extendSubscription(original, by: extending.request)
        let (made, environment) = (response.unverified, response.environment.rawValue)
        let date = made.effectiveDate.map { " It renews on \(ReceiptDate.string(from: $0))." } ?? ""
        return StoreResult(
            json: [
                "unverified": [
                    "originalTransactionId": .text(made.originalTransactionIdentifier),
                    "webOrderLineItemId": .text(made.webOrderLineItemIdentifier),
                    "success": .boolean(made.isSuccessful),
                    "effectiveDate": .milliseconds(made.effectiveDate),
                ],
                "requestIdentifier": .string(extending.requestIdentifier), "environment": .string(environment),
            ],
            lines: [
                "According to the App Store's response, the subscription "
                    + (made.isSuccessful
                        ? "was extended in \(environment).\(date)" : "wasn't extended in \(environment).")
            ],
            notes: [
                "Apple doesn't sign this response. 'appreceipt store history' shows the new date, signed.",
                "Request identifier: \(extending.requestIdentifier)",
            ],
            isSuccess: made.isSuccessful)
    }
}

/// By how much and why subscriptions are extended.
@available(AppStoreServerAPI 1.0, *)
struct StoreExtensionOptions: ParsableArguments {
    @Option(help: "The number of days, 1 to 90.")
    var days: Int

    @Option(help: "The reason for the extension, also as Apple's number 0 to 3.")
    var reason: ExtensionReason

    @Option(
        help: .id("An identifier for this extension. (default: a new UUID)"),
        transform: ArgumentConversion.nonEmpty)
    var requestID: String?

    /// The reason in the request.
    enum ExtensionReason: String, ExpressibleByArgument, CaseIterable {
        case undeclared
        case customerSatisfaction = "customer-satisfaction"
        case other
        case outage

        /// Creates a reason from its name, or from Apple's number.
        init?(argument: String) {
            if let number = Int(argument) {
                guard Self.allCases.indices.contains(number) else { return nil }
                self = Self.allCases[number]
            } else {
                self.init(rawValue: argument)
            }
        }

        var value: AppStoreServerClient.RenewalExtensionRequest.Reason {
            switch self {
            case .undeclared: .undeclared
            case .customerSatisfaction: .customerSatisfaction
            case .other: .other
            case .outage: .serviceOutage
            }
        }
    }

    mutating func validate() throws {
        guard (1...90).contains(days) else { throw ValidationError("--days: Expected 1 to 90.") }
        requestID = requestIdentifier
    }

    /// The identifier of the option, or a new one.
    var requestIdentifier: String { requestID ?? UUID().uuidString.lowercased() }

    var request: AppStoreServerClient.RenewalExtensionRequest {
        AppStoreServerClient.RenewalExtensionRequest(
            days: days, reason: reason.value, requestIdentifier: requestIdentifier)
    }
}
