import AppReceiptKit

/// The original transactions to bind to the account that submits the receipt. If one of them is bound to another account,
/// the customer shared the receipt.
func originalTransactions(in verified: VerifiedReceipt) -> Set<String> {
    Set(verified.entitlements().transactions.compactMap(\.originalTransactionIdentifier))
}
