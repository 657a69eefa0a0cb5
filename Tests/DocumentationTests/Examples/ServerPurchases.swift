import AppReceiptKit

/// The original transactions to bind to the account that submits the receipt. If one of them is bound to another account,
/// the customer shared the receipt.
func originalTransactions(in verified: VerifiedReceipt) -> Set<String> {
    Set(verified.entitlements().purchases.compactMap(\.originalTransactionIdentifier))
}

/// Whether to offer a free trial. The App Store decides when the customer buys.
func offersTrial(to verified: VerifiedReceipt) -> Bool {
    verified.entitlements().introductoryOfferEligibility(in: ["com.example.monthly", "com.example.yearly"]) == .eligible
}
