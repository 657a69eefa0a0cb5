import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The state of an app's license: personal, or bought in volume by an organization.
public enum VolumePurchase: Sendable, Hashable {
    /// A person bought or downloaded the app.
    case personal
    /// The license is valid, until this date if the receipt contains one.
    case licensed(until: Date?)
    /// The license ended, because it was revoked or assigned to another person.
    case ended(Date)
}
