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

    @OptionGroup
    var device: TestDeviceOptions

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("transaction.jws") { environment, date in
            var made = transaction.makeTransaction(product, bundle: bundleID, environment, date)
            made.device = device.deviceAndNonce
            return made
        }
    }
}
