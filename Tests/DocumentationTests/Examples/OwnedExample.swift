import AppStoreSignedData

/// What the customer owns now, from the receipt of an old version of the app and what StoreKit 2 signed since.
func entitlements(
    receipts: [VerifiedReceipt], transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo]
) -> Entitlements {
    Entitlements(
        bundleIdentifier: "com.example.app", environment: .production, receipts: receipts, transactions: transactions,
        renewals: renewals)
}
