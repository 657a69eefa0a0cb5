import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension VerifiedReceipt {
    /// Derives the customer's entitlements from this receipt alone.
    ///
    /// A receipt doesn't contain renewals and refunds after its ``creationDate``.
    ///
    /// - Parameter date: The date at which the entitlements apply. Default: the current time, but not before the receipt's creation date,
    ///   because an earlier clock is wrong.
    /// - Returns: The entitlements.
    public func entitlements(at date: Date? = nil) -> Entitlements {
        Entitlements(
            PurchaseLedger(environment: environment, receipts: [evidence]),
            at: date ?? max(Date(), creationDate))
    }

    /// The purchases in the receipt, as evidence.
    package var evidence: PurchaseLedger.ReceiptEvidence {
        PurchaseLedger.ReceiptEvidence(
            creationDate: creationDate, purchases: purchases.map { Purchase($0) })
    }
}
