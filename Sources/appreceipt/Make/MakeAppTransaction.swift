import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `appreceipt make app-transaction`
struct MakeAppTransaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-transaction", abstract: "Makes a signed StoreKit 2 app transaction.",
        discussion: SignedDataOptions.discussion)

    @Option(help: "The app's bundle identifier.", transform: ArgumentConversion.nonEmpty)
    var bundleID: String

    @Option(
        help: ArgumentHelp("The app's number in the App Store, which production data contains.", valueName: "number"))
    var appAppleID: UInt64?

    @Option(help: "The app's version.")
    var appVersion = "1"

    @Option(help: "The app version that was bought first.")
    var originalAppVersion = "1.0"

    @Option(
        name: .customLong("device-id"),
        help: ArgumentHelp("The device that it is signed for: its deviceVerificationID.", valueName: "uuid"),
        transform: ArgumentConversion.uuid)
    var device: UUID?

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write("app-transaction.jws") { environment, date in
            TestAppTransaction().with {
                $0.bundleIdentifier = bundleID
                $0.appAppleIdentifier = appAppleID
                $0.appVersion = appVersion
                $0.originalAppVersion = originalAppVersion
                $0.environment = environment
                $0.signedDate = date
                $0.device = device.map { ($0, SignedDataOptions.nonce) }
            }
        }
    }
}
