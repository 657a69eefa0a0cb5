public import AppReceiptFoundation
public import AppReceiptParsing

/// The state of an app's license: personal, or bought in volume by an organization.
public enum VolumePurchase: Sendable, Hashable {
    /// A person bought or downloaded the app.
    case personal
    /// The license is valid, until this date if the receipt contains one.
    case licensed(until: Date?)
    /// The license ended, because it was revoked or assigned to another person.
    case ended(Date)
}

extension AppReceipt {
    /// Returns the state of the license at a date, as the receipt claims it. Unverified.
    ///
    /// - Parameter date: The date.
    /// - Returns: The claimed state of the license.
    public func volumePurchase(at date: Date) -> VolumePurchase {
        // Xcode writes an expiration date in the year 4001 into every receipt.
        guard environment?.isVolumePurchase == true || expirationDate != nil && environment?.base != .xcode else {
            return .personal
        }
        if let expirationDate, expirationDate <= date { return .ended(expirationDate) }
        return .licensed(until: expirationDate)
    }
}

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
    public func volumePurchase(at date: Date) -> VolumePurchase { receipt.volumePurchase(at: date) }
}
