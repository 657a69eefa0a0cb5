import AppReceiptFoundation
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

/// `appreceipt make app-transaction`
struct MakeAppTransaction: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app-transaction", abstract: "Makes a signed StoreKit 2 app transaction.",
        discussion: SignedDataOptions.discussion)

    @OptionGroup
    var app: TestAppOptions

    @Option(help: "The app's version.")
    var appVersion = "1"

    @Option(help: "The app version that was bought first.")
    var originalAppVersion = "1.0"

    @OptionGroup
    var device: TestDeviceOptions

    @OptionGroup(title: "Signed data")
    var signed: SignedDataOptions

    func run() throws {
        try signed.write(to: "app-transaction.jws") { environment, date in
            TestAppTransaction().with {
                $0.bundleIdentifier = app.bundleID
                $0.appAppleIdentifier = app.appAppleID
                $0.appVersion = appVersion
                $0.originalAppVersion = originalAppVersion
                $0.environment = environment
                $0.signedDate = date
                $0.device = device.deviceAndNonce
            }
        }
    }
}
