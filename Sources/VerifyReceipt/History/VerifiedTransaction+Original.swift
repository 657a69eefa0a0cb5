import AppReceiptKit
import AppStoreSignedData

extension VerifiedTransaction {
    /// The identifier of the purchase: the original transaction's, or its own if the original is missing.
    package var original: String? { claims.originalTransactionIdentifier ?? claims.transactionIdentifier }
}
