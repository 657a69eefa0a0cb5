import AppReceiptKit
import AppStoreServerAPI
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt store consumption-v1`
@available(AppStoreServerAPI 1.0, *)
struct StoreConsumptionVersion1: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "consumption-v1",
        abstract: "Sends information about the use of a purchase of the Advanced Commerce API.",
        discussion: """
            Uses the first version of the endpoint, whose values are numbers; 0 means that you don't say, except for \
            --delivery-status. For other purchases, use 'appreceipt store consumption'.

            The JSON is that of 'appreceipt store consumption'.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store consumption-v1 2000000000000003 OPTIONS --customer-consented --delivery-status 0 \\
                --consumption-status 2 --platform 1 --refund-preference 3

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var purchase: StoreConsumptionOptions

    @Option(help: "0 delivered, 1 quality issue, 2 wrong item, 3 server outage, 4 changed currency, 5 other reason.")
    var deliveryStatus: Int64

    @Option(
        help: ArgumentHelp("The customer's account in your system.", valueName: "uuid"),
        transform: ArgumentConversion.uuid)
    var appAccountToken: UUID?

    @Option(help: "The age of the account, 1 to 7: up to 3, 10, 30, 90, 180, 365 days, more.")
    var accountTenure: Int64 = 0

    @Option(help: "1 not consumed, 2 partially, 3 fully.")
    var consumptionStatus: Int64 = 0

    @Option(help: "The customer's purchases, 1 to 7: 0, up to 50, 100, 500, 1000, 2000 dollars, more.")
    var lifetimeDollarsPurchased: Int64 = 0

    @Option(help: "The customer's refunds, with the values of --lifetime-dollars-purchased.")
    var lifetimeDollarsRefunded: Int64 = 0

    @Option(help: "1 an Apple platform, 2 another one.")
    var platform: Int64 = 0

    @Option(help: "The time in the app, 1 to 7: up to 5 minutes, 1, 6, 24 hours, 4, 16 days, more.")
    var playTime: Int64 = 0

    @Option(help: "1 refund, 2 decline, 3 no preference.")
    var refundPreference: Int64 = 0

    @Option(help: "1 active, 2 suspended, 3 terminated, 4 limited.")
    var userStatus: Int64 = 0

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func run() async throws {
        var information = ConsumptionInformationVersion1(
            customerConsented: purchase.customerConsented, sampleContentProvided: purchase.sampleContentProvided,
            deliveryStatus: deliveryStatus)
        information.appAccountToken = appAccountToken
        information.accountTenure = accountTenure
        information.consumptionStatus = consumptionStatus
        information.lifetimeDollarsPurchased = lifetimeDollarsPurchased
        information.lifetimeDollarsRefunded = lifetimeDollarsRefunded
        information.platform = platform
        information.playTime = playTime
        information.refundPreference = refundPreference
        information.userStatus = userStatus
        let sent = information
        try await options.run(changing: .consumption) { (client) async throws(AppStoreServerError) in
            StoreConsumptionResult(
                transactionIdentifier: purchase.transaction,
                environment: try await client.sendConsumptionInformation(sent, ofTransaction: purchase.transaction))
        }
    }
}
