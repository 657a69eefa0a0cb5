public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// Whether the app was bought by an organisation in volume, and whether the licence still holds.
public enum VolumePurchase: Sendable, Hashable {
    /// A person bought or downloaded the app.
    case personal
    /// The licence holds, until this date if it names one.
    case licensed(until: Date?)
    /// The licence has ended: revoked, or given to somebody else.
    case ended(Date)
}

extension VerifiedReceipt {
    /// The state of the licence at `date`.
    ///
    /// A verified receipt has passed the check of its expiration date, but time goes on: ask again when the app becomes
    /// active. A licence that was revoked after the receipt was signed shows only in a fresh one. Source: Apple, Receipt
    /// Fields (Receipt Expiration Date).
    public func volumePurchase(at date: Date) -> VolumePurchase { receipt.unverifiedVolumePurchase(at: date) }
}

extension AppReceipt {
    /// The state of the licence at `date`, as the bytes state it. Nothing of it is proven.
    public func unverifiedVolumePurchase(at date: Date) -> VolumePurchase {
        // Xcode writes an expiration date in the year 4001 into every receipt.
        guard environment?.isVolumePurchase == true || expirationDate != nil && environment?.base != .xcode else {
            return .personal
        }
        if let expirationDate, expirationDate <= date { return .ended(expirationDate) }
        return .licensed(until: expirationDate)
    }
}
