import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import ArgumentParser

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The renewal of a subscription.
struct RenewalOptions: ParsableArguments {
    @Flag(help: "The customer turned off renewal.")
    var autoRenewOff = false

    @Option(
        help: ArgumentHelp("The product that will renew. (default: the same product)", valueName: "product"),
        transform: ArgumentConversion.nonEmpty)
    var renewsAs: String?

    @Option(
        name: .customLong("grace-until"),
        help: ArgumentHelp("The end of the grace period after a billing failure (RFC 3339).", valueName: "date"),
        transform: ArgumentConversion.date)
    var grace: Date?

    func makeRenewalInfo(
        _ product: String, original: String, _ environment: SignedDataEnvironment, _ date: Date
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
