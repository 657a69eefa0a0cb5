import AppReceiptParsing

extension VerifiedReceipt {
    /// The first purchase or download of the app itself.
    public var originalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(receipt) }
}
