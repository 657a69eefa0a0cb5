public import AppReceiptFoundation

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
    /// It lists no other period and no refunds, so it proves no expiration and clears no revocation. The date of signing isn't in it.
    package var evidence: TransactionEvidence {
        TransactionEvidence(Purchase(receipt.purchase), from: .transactionReceipt, signed: purchaseDate)
    }
}
