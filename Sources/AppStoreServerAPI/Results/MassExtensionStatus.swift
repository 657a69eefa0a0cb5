#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The progress of extending all subscriptions of a product.
@available(AppStoreServerAPI 1.0, *)
public struct MassExtensionStatus: Sendable, Hashable {
    /// The identifier of the request.
    public let requestIdentifier: String?
    /// Whether the App Store has finished.
    public let isComplete: Bool
    /// When it finished.
    public let completionDate: Date?
    /// The number of subscriptions that were extended.
    public let succeededCount: Int64?
    /// The number of subscriptions that weren't extended.
    public let failedCount: Int64?
}
