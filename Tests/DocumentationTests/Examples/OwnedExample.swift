import AppStoreSignedData

/// What the customer owns now, from the receipt of an old version of the app and what StoreKit 2 has signed since.
///
/// - Parameters:
///   - receipt: The verified receipt.
///   - tokens: `jwsRepresentation` of each result of `Transaction.all`.
///   - renewals: `jwsRepresentation` of the renewal information in each `Product.SubscriptionInfo.Status`.
func entitlements(receipt: VerifiedReceipt, tokens: [String], renewals: [String]) throws(ReceiptError) -> Entitlements {
    var transactions: [VerifiedTransaction] = []
    for token in tokens { transactions.append(try signedData.verifyTransaction(token, expecting: ofThisApp)) }
    var renewalInfos: [VerifiedRenewalInfo] = []
    for token in renewals { renewalInfos.append(try signedData.verifyRenewalInfo(token, expecting: ofThisApp)) }
    return Entitlements(
        bundleIdentifier: "com.example.app", environment: .production, receipts: [receipt], transactions: transactions,
        renewals: renewalInfos)
}
