import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import ArgumentParser

/// `appreceipt store consumption`
@available(AppStoreServerAPI 1.0, *)
struct StoreConsumption: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumption",
        abstract: "Sends information about the use of a purchase, for Apple's decision about a refund.",
        discussion: """
            Answers a notification CONSUMPTION_REQUEST, within 12 hours. Apple accepts it only if the customer \
            consented; otherwise don't send anything. It refuses it for purchases of the Advanced Commerce API.

            With --format json: {"accepted": true, "transactionId", "environment"}; or {"error": {…, "outcomeUnknown": \
            whether the App Store may have received it}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store consumption 2000000000000003 OPTIONS --customer-consented \\
                --delivery-status DELIVERED --consumption-percentage 25000 --refund-preference GRANT_PRORATED

            \(StoreHelp.exitStatus)
            """)

    @Argument(
        help: "The transaction identifier of the notification.", transform: ArgumentConversion.transactionIdentifier)
    var transaction: String

    @Flag(help: "The customer consented that you send this information to Apple. Required.")
    var customerConsented = false

    @Flag(help: "The customer could try the content before the ")
    var sampleContentProvided = false

    @Option(help: "Whether the purchase was delivered.")
    var deliveryStatus: DeliveryStatus

    @Option(
        help: .number(
            "How much was consumed, in thousandths of a percent: 0 to 100000. Not for subscriptions that renew."))
    var consumptionPercentage: Int32?

    @Option(help: "The decision that you prefer.")
    var refundPreference: RefundPreference?

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    /// Apple's values of `deliveryStatus`.
    enum DeliveryStatus: String, StoreName {
        case delivered = "DELIVERED"
        case qualityIssue = "UNDELIVERED_QUALITY_ISSUE"
        case wrongItem = "UNDELIVERED_WRONG_ITEM"
        case serverOutage = "UNDELIVERED_SERVER_OUTAGE"
        case other = "UNDELIVERED_OTHER"
    }

    /// Apple's values of `refundPreference`.
    enum RefundPreference: String, StoreName {
        case decline = "DECLINE"
        case grantFull = "GRANT_FULL"
        case grantProrated = "GRANT_PRORATED"
    }

    /// Apple accepts only true. Without consent, don't send anything.
    func validate() throws {
        guard !customerConsented else { return }
        throw ValidationError("--customer-consented is required. Without the customer's consent, don't send anything.")
    }

    var change: StoreChange? { .consumption }

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let information = AppStoreServerClient.ConsumptionInformation(
            customerConsented: customerConsented, deliveryStatus: .init(rawValue: deliveryStatus.rawValue),
            sampleContentProvided: sampleContentProvided, consumptionPercentage: consumptionPercentage,
            refundPreference: refundPreference.map { .init(rawValue: $0.rawValue) })
        let environment = try await client.sendConsumptionInformation(information, ofTransaction: transaction)
        return StoreResult(
            json: [
                "accepted": true, "transactionId": .string(transaction), "environment": .string(environment.rawValue),
            ], lines: ["The App Store accepted the consumption information in \(environment.rawValue)."])
    }
}

/// A value with one of Apple's names. Lowercase and hyphens are accepted.
protocol StoreName: ExpressibleByArgument, CaseIterable, RawRepresentable where RawValue == String {}

extension StoreName {
    /// Creates a value from a name such as `GRANT_FULL` or `grant-full`.
    init?(argument: String) {
        self.init(rawValue: String(argument.uppercased().map { $0 == "-" ? "_" : $0 }))
    }
}
