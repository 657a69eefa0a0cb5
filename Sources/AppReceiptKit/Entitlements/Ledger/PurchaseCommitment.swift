#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A commitment to pay for several periods. Source: Apple, commitmentInfo.
public struct PurchaseCommitment: Sendable, Hashable {
    /// The number of the current period, from 1.
    public let period: Int?
    /// The number of periods.
    public let periods: Int?
    /// The end of the commitment.
    public let until: Date?

    package init(period: Int?, periods: Int?, until: Date?) {
        self.period = period
        self.periods = periods
        self.until = until
    }
}
