import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension VerifiedReceipt {
    /// Returns the state of the license at a date.
    ///
    /// A verified receipt hadn't expired when it was verified, but may expire later: check again when the app becomes
    /// active. Only a newer receipt shows a revocation after this one was signed.
    ///
    /// Source: Apple, Receipt Fields (Receipt Expiration Date).
    ///
    /// - Parameter date: The date.
    /// - Returns: The state of the license.
    public func volumePurchase(at date: Date) -> VolumePurchase { receipt.unverifiedVolumePurchase(at: date) }
}
