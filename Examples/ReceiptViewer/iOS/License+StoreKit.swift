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
        return .garden(on: AppStore.deviceVerificationID)
    }

    /// Updates the license after each purchase, renewal and refund while the app runs.
    ///
    /// Purchases in StoreKit's views are among the updates, unless the view has `onInAppPurchaseCompletion`. The result
    /// of `purchase()` isn't: an app that calls it updates the license itself.
    func followTransactions() async {
        for await result in Transaction.updates {
            await update()
            guard case .verified(let transaction) = result, contains(transaction: transaction.id) else { continue }
            await transaction.finish()
        }
    }
}
