import AppReceiptKit
import Foundation

/// Whether the receipt proves the non-consumable purchase that unlocks the app. Pass `Bundle.main.appStoreReceiptURL`
/// and `UIDevice.current.identifierForVendor`; for a subscription compare `expirationDate` too.
func hasPro(receiptURL: URL, vendorIdentifier: UUID?) -> Bool {
    let expectations = Expectations(
        bundleIdentifier: "com.example.app", environments: [.production, .sandbox],
        devices: .oneOf([vendorIdentifier].compactMap { $0 }.map { DeviceIdentifier($0) }))
    do {
        let bytes = try ReceiptFile.contents(at: receiptURL)
        let verified = try ReceiptVerifier().verify(bytes, expecting: expectations)
        return verified.receipt.purchases.contains {
            $0.productIdentifier == "com.example.pro" && $0.cancellationDate == nil
        }
    } catch {
        // Never terminate the app: keep what was not proven locked, and offer to refresh the receipt.
        print(error.message, error.remedy)
        return false
    }
}
