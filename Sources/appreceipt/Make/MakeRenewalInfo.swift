import AppReceiptFoundation
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

/// `appreceipt make renewal-info`
struct MakeRenewalInfo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renewal-info", abstract: "Makes signed StoreKit 2 renewal information.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The product.", transform: ArgumentConversion.nonEmpty)
    var product: String

    @OptionGroup(title: "The renewal")
    var renewal: RenewalOptions

    @Option(name: .customLong("original-id"), help: .identifier("The original transaction of the subscription."))
    var original = TransactionOptions.firstIdentifier

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write(to: "renewal-info.jws") {
            renewal.makeRenewalInfo(of: product, original: original, environment: $0, signed: $1)
        }
    }
}

/// The renewal of a subscription.
struct RenewalOptions: ParsableArguments {
    @Flag(help: "The customer turned off renewal.")
    var autoRenewOff = false

    @Option(
        help: .product("The product that will renew. (default: the same product)"),
        transform: ArgumentConversion.nonEmpty)
    var renewsAs: String?

    @Option(
        name: .customLong("grace-until"),
        help: .date("The end of the grace period after a billing failure (RFC 3339)."),
        transform: ArgumentConversion.date)
    var grace: Date?

    func makeRenewalInfo(
        of product: String, original: String, environment: SignedDataEnvironment, signed date: Date
    ) -> TestRenewalInfo {
        TestRenewalInfo(product, original: original).with {
            $0.autoRenewProductIdentifier = renewsAs
            $0.autoRenewStatus = autoRenewOff ? .off : .on
            $0.gracePeriodExpirationDate = grace
            $0.isInBillingRetryPeriod = grace == nil ? nil : true
            $0.environment = environment
            $0.signedDate = date
        }
    }
}
