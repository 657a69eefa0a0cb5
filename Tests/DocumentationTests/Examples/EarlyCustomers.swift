import AppReceiptKit

/// Whether the customer paid for the app before it became free with version 3.0, whose build number on iOS was 120.
func paidBeforeItWasFree(_ receipt: VerifiedReceipt) -> Bool {
    guard let build = DottedVersion("120"), let version = DottedVersion("3.0") else { return false }
    return receipt.originalAppPurchase.wasBefore(build: build, version: version) ?? false
}
