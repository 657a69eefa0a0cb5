#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What was refunded or upgraded among purchases that may list the same one twice: a restored copy bears a number of its
/// own, and is gone with the original.
struct Refunds {
    private var dates: [Key: Date] = [:]

    /// What copies have in common: the line and product, and for a period its beginning and end.
    private struct Key: Hashable {
        let line: String
        let product: String?
        let start: Date?
        let end: Date?

        /// Nil for one that names no transaction, which is a copy of nothing.
        init?(_ purchase: Purchase) {
            guard let line = purchase.lineIdentifier else { return nil }
            self.line = line
            product = purchase.productIdentifier
            start = purchase.isSubscriptionPeriod ? purchase.purchaseDate : nil
            end = purchase.isSubscriptionPeriod ? purchase.expirationDate : nil
        }
    }

    init(_ purchases: [Purchase]) {
        for purchase in purchases {
            guard let date = purchase.cancellationDate, let key = Key(purchase) else { continue }
            dates[key] = min(date, dates[key] ?? date)
        }
    }

    /// Whether the purchase or a copy of it was refunded at `date` or before.
    func took(_ purchase: Purchase, by date: Date) -> Bool {
        guard !dates.isEmpty else { return false }
        return purchase.wasCancelled(by: date) || Key(purchase).flatMap { dates[$0] }.map { $0 <= date } ?? false
    }
}
