public import AppReceiptParsing

extension AppReceipt {
    /// The first purchase or download of the app itself, as the receipt claims it. Unverified.
    public var unverifiedOriginalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(self) }
}
