import Foundation
import ReceiptViewerModel
import StoreKit

extension License {
    /// Creates the license of the running app.
    static func garden() -> License { License(configuration, source: StoreKitSource()) }

    /// Debug builds that contain Xcode's certificate also accept receipts and tokens of local testing.
    private static var configuration: LicenseConfiguration {
        #if DEBUG
        if let url = Bundle.main.url(forResource: "StoreKitTestCertificate", withExtension: "cer") {
            do {
                return try .debugging(certificate: Data(contentsOf: url))
            } catch {
                assertionFailure("StoreKitTestCertificate.cer can't be used: \(error)")
            }
        }
        #endif
        return .garden
    }

    /// Updates the license after each purchase, renewal and refund while the app runs.
    func followTransactions() async {
        for await result in Transaction.updates {
            await update()
            if case .verified(let transaction) = result { await transaction.finish() }
        }
    }
}
