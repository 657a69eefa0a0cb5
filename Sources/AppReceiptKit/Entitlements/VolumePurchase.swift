public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether an organization bought the app in volume, and whether the license is still valid.
public enum VolumePurchase: Sendable, Hashable {
    /// A person bought or downloaded the app.
    case personal
    /// The license is valid, until this date if the receipt states one.
    case licensed(until: Date?)
    /// The license ended: it was revoked or assigned to somebody else.
    case ended(Date)
}

extension VerifiedReceipt {
    /// The state of the license at a date.
    ///
    /// A verified receipt passed the check of its expiration date, but may expire later: check again when the app becomes
    /// active. A revocation after the receipt was signed shows only in a newer receipt. Source: Apple, Receipt Fields (Receipt
    /// Expiration Date).
    public func volumePurchase(at date: Date) -> VolumePurchase { receipt.unverifiedVolumePurchase(at: date) }
}

extension AppReceipt {
    /// The state of the license at a date, as the bytes claim it. Unverified.
    public func unverifiedVolumePurchase(at date: Date) -> VolumePurchase {
        // Xcode writes an expiration date in the year 4001 into every receipt.
        guard environment?.isVolumePurchase == true || expirationDate != nil && environment?.base != .xcode else {
            return .personal
        }
        if let expirationDate, expirationDate <= date { return .ended(expirationDate) }
        return .licensed(until: expirationDate)
    }
}
