import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt make renewal-info`
struct MakeRenewalInfo: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "renewal-info", abstract: "Makes signed StoreKit 2 renewal information.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The product.", transform: ArgumentConversion.nonEmpty)
    var product: String

    @OptionGroup(title: "The renewal")
    var renewal: RenewalOptions

    @Option(
        name: .customLong("original-id"),
        help: ArgumentHelp("The original transaction of the subscription.", valueName: "identifier"))
    var original = TransactionOptions.firstIdentifier

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("renewal-info.jws") { renewal.makeRenewalInfo(product, original: original, $0, $1) }
    }
}
