import AppReceiptKit

/// Whether the customer got the app before it became free with version 3.0, whose build number on iOS was 412. Nil if the receipt
/// doesn't tell: let support decide.
func paidBeforeItWasFree(_ verified: VerifiedReceipt) -> Bool? {
    verified.originalAppPurchase.precedes(build: "412", version: "3.0")
}
