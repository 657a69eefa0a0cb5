import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Purchase {
    /// The beginning of the period, or the date of a one-time purchase.
    ///
    /// A period that was restored after its end has the date of the restoration as its purchase date. It ended before, so it is ordered by
    /// its end: otherwise it would hide the current period.
    var periodStart: Date {
        let date = purchaseDate ?? .distantPast
        guard isSubscriptionPeriod, let expirationDate else { return date }
        return min(date, expirationDate)
    }
}
