import AppReceiptFoundation
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

/// `appreceipt make transaction`
struct MakeTransaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transaction", abstract: "Makes a signed StoreKit 2 transaction.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The app's bundle identifier.", transform: ArgumentConversion.nonEmpty)
    var bundleID: String

    @OptionGroup(title: "The transaction")
    var transaction: TransactionOptions

    @Option(help: "The product.", transform: ArgumentConversion.nonEmpty)
    var product: String

    @OptionGroup
    var device: TestDeviceOptions

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write(to: "transaction.jws") { environment, date in
            var made = transaction.makeTransaction(
                of: product, bundle: bundleID, environment: environment, signed: date)
            made.device = device.deviceAndNonce
            return made
        }
    }
}

/// The contents of a transaction.
struct TransactionOptions: ParsableArguments {
    static let firstIdentifier = "2000000000000001"

    @Option(help: .identifier("The transaction's identifier."))
    var transactionID = Self.firstIdentifier

    @Option(
        name: .customLong("original-id"),
        help: .identifier("The original transaction. (default: the transaction itself)"))
    var originalID: String?

    @Option(
        help: .date("The purchase date (RFC 3339). (default: a day before it is signed)"),
        transform: ArgumentConversion.date)
    var purchased: Date?

    @Option(
        help: .date("The expiration date (RFC 3339), which makes it a subscription."),
        transform: ArgumentConversion.date)
    var expires: Date?

    @Option(help: .date("The date of a refund (RFC 3339)."), transform: ArgumentConversion.date)
    var revoked: Date?

    func makeTransaction(
        of product: String, bundle: String, environment: SignedDataEnvironment, signed date: Date
    ) -> TestTransaction {
        TestTransaction(
            product, transaction: transactionID, original: originalID,
            at: purchased ?? date.addingTimeInterval(-86_400),
            until: expires
        ).with {
            $0.bundleIdentifier = bundle
            $0.revocationDate = revoked
            $0.environment = environment
            $0.signedDate = date
        }
    }
}
