import AppReceiptKit

/// Whether the customer paid for the app before it became free with version 3.0, whose build number on iOS was 120.
/// Nil if that cannot be told: let support decide.
func paidBeforeItWasFree(_ verified: VerifiedReceipt) -> Bool? {
    verified.originalAppPurchase.wasBefore(build: DottedVersion(120), version: DottedVersion(3, 0))
}
