#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension VerifiedTransactionReceipt {
    /// Derives the customer's entitlements from this receipt alone.
    ///
    /// - Parameter date: The date at which the entitlements apply. Default: the current time, but not before the purchase, because an
    ///   earlier clock is wrong.
    /// - Returns: The entitlements.
    public func entitlements(at date: Date? = nil) -> Entitlements {
        Entitlements(
            PurchaseLedger(environment: environment, receipts: [], transactions: [evidence]),
            at: date ?? max(Date(), purchaseDate))
    }

    /// The purchase as evidence.
    ///
    /// A transaction rather than a receipt: it lists no other period, so it proves no expiration. It contains no refunds and isn't newer than any
    /// other evidence of the transaction, so it clears no revocation.
    package var evidence: TransactionEvidence {
        TransactionEvidence(Purchase(receipt.purchase), from: .receipt, signed: purchaseDate)
    }
}
