#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The result of extending a subscription.
@available(AppStoreServerAPI 1.0, *)
public struct RenewalExtension: Sendable, Hashable {
    /// The subscription.
    public let originalTransactionIdentifier: String?
    /// The identifier of the period that was extended.
    public let webOrderLineItemIdentifier: String?
    /// Whether the subscription was extended.
    public let isSuccessful: Bool
    /// The new date of the renewal.
    public let effectiveDate: Date?
}
