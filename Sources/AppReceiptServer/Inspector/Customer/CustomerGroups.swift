#if Server
import AppReceiptStore
import AppStoreSignedData

/// Purchases, in a group for each customer. Those in one receipt are one customer's, and so are those of one account.
/// Nothing else says so.
struct CustomerGroups {
    private(set) var groups: [Set<ScopedOriginal>] = []

    /// Creates groups of the purchases in evidence.
    init(in evidence: [AppScope: CustomerEvidence]) {
        for (scope, evidence) in evidence {
            let receipts = evidence.receipts.map(\.originals).filter { !$0.isEmpty }
            for originals in receipts + evidence.originals.map({ [$0] }) {
                join(Set(originals.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }))
            }
        }
    }

    /// Joins the purchases that one account owns.
    ///
    /// - Parameter owners: The account of each purchase that has one.
    mutating func join(ownedBy owners: [ScopedOriginal: String]) {
        for purchases in Dictionary(grouping: owners.keys, by: { owners[$0] }).values { join(Set(purchases)) }
    }

    /// Makes one group of purchases and of the groups that contain any of them.
    mutating func join(_ purchases: Set<ScopedOriginal>) {
        let joined = groups.filter { !$0.isDisjoint(with: purchases) }
        groups.removeAll { !$0.isDisjoint(with: purchases) }
        groups.append(joined.reduce(purchases) { $0.union($1) })
    }

    /// The groups and their purchases in order.
    var sorted: [[ScopedOriginal]] { groups.map { $0.sorted() }.sorted { $0.lexicographicallyPrecedes($1) } }
}
#endif
