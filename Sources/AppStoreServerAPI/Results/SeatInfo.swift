#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// The seats of a purchase for several people.
@available(AppStoreServerAPI 1.0, *)
public struct SeatInfo: Sendable, Hashable {
    /// The number of seats.
    public let totalCount: Int64?
    /// The number of seats that nobody has.
    public let availableCount: Int64?
    /// The claims of the seats that somebody has.
    public let assignedClaimIdentifiers: [UUID]
}
