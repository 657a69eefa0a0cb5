public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension AppReceipt {
    /// Returns the state of the license at a date, as the receipt claims it. Unverified.
    ///
    /// - Parameter date: The date.
    /// - Returns: The claimed state of the license.
    public func unverifiedVolumePurchase(at date: Date) -> VolumePurchase {
        // Xcode writes an expiration date in the year 4001 into every receipt.
        guard environment?.isVolumePurchase == true || expirationDate != nil && environment?.base != .xcode else {
            return .personal
        }
        if let expirationDate, expirationDate <= date { return .ended(expirationDate) }
        return .licensed(until: expirationDate)
    }
}
