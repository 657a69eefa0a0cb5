import AppReceiptParsing

extension VerifiedReceipt {
    /// The first purchase or download of the app itself.
    public var originalAppPurchase: OriginalAppPurchase { OriginalAppPurchase(receipt) }

    /// StoreKit's name for the version of the first purchase. As text, "10" precedes "9".
    @available(*, unavailable, message: "Compare versions with originalAppPurchase.precedes(build:version:).")
    public var originalAppVersion: String? { receipt.originalAppVersion }
}
