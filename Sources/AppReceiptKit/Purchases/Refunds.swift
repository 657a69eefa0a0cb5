#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What was refunded or upgraded among purchases that may list the same one twice: a restored copy bears a number of its
/// own, and is gone with the original.
struct Refunds {
    private var dates: [Key: Date] = [:]
    /// What an upgrade ended, as a signed transaction says of one of the copies.
    private var upgrades: Set<Key> = []

    /// What copies have in common: the line and product, and for a period its beginning and end.
    private struct Key: Hashable {
        let line: String
        let product: String?
        let start: Double?
        let end: Double?

        /// Nil for one that names no transaction, which is a copy of nothing.
        init?(_ purchase: Purchase) {
            guard let line = purchase.lineIdentifier else { return nil }
            self.line = line
            product = purchase.productIdentifier
            start = purchase.isSubscriptionPeriod ? purchase.purchaseDate?.inSeconds : nil
            end = purchase.isSubscriptionPeriod ? purchase.expirationDate?.inSeconds : nil
        }
    }

    init(_ purchases: [Purchase]) {
        for purchase in purchases {
            if purchase.isUpgraded == true, let key = Key(purchase) { upgrades.insert(key) }
            guard let date = purchase.cancellationDate, let key = Key(purchase) else { continue }
            dates[key] = min(date, dates[key] ?? date)
        }
    }

    /// Whether the purchase or a copy of it was refunded at `date` or before, or upgraded, of which no date is known.
    func took(_ purchase: Purchase, by date: Date) -> Bool {
        if !upgrades.isEmpty, let key = Key(purchase), upgrades.contains(key) { return true }
        guard !dates.isEmpty else { return false }
        return purchase.wasCancelled(by: date) || Key(purchase).flatMap { dates[$0] }.map { $0 <= date } ?? false
    }
}

extension Date {
    /// Whole seconds since 1970. Receipts write no more, signed transactions milliseconds: copies agree in these.
    package var inSeconds: Double { timeIntervalSince1970.rounded(.down) }
}
