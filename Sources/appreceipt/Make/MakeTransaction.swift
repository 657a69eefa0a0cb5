import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp("The device that it is signed for: its deviceVerificationID.", valueName: "uuid"),
        transform: ArgumentConversion.uuid)
    var device: UUID?

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("transaction.jws") { environment, date in
            var made = transaction.made(product, bundle: bundleID, environment, date)
            made.device = device.map { ($0, SignedDataOptions.nonce) }
            return made
        }
    }
}
