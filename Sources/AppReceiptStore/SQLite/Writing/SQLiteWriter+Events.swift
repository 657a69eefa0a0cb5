#if Server
import AppReceiptFoundation
import GRDB

extension SQLiteWriter {
    /// Loads purchases that a write changes, unless it has loaded them already.
    func load(
        _ originals: some Sequence<ScopedOriginal>, into changes: inout EvidenceChanges, from database: Database
    ) throws {
        let missing = originals.filter { !changes.isLoaded($0) }
        for (scope, originals) in Dictionary(grouping: missing, by: \.scope) {
            let purchases = try StoredPurchase.purchases(
                of: originals.map(\.originalTransactionIdentifier), in: scope, from: database)
            for purchase in purchases { changes[purchase.original] = purchase }
        }
    }

    /// Records what a write changed beside the evidence: the accounts, the events, and the states that were reported.
    ///
    /// - Parameters:
    ///   - changes: The changes.
    ///   - date: The current time.
    ///   - database: The database.
    func record(_ changes: EvidenceChanges, at date: Int64, in database: Database) throws {
        var changes = changes
        try load(changes.originals, into: &changes, from: database)
        for purchase in changes.boundPurchases { try purchase.writeBinding(in: database) }
        for event in changes.events(at: date) { try event.insert(into: database) }
        var comparison = changes.comparison(at: date)
        while let part = comparison.next() {
            let (purchases, events) = try comparison.report(part, from: stored(part, in: database))
            for event in events { try event.insert(into: database) }
            for purchase in purchases { try purchase.writeState(in: database) }
        }
    }

    private func stored(
        _ part: PurchaseComparison.Part, in database: Database
    ) throws -> Result<StoredEvidence, StoreError> {
        do {
            return .success(
                try EvidenceRows(of: part.originals, scope: part.scope, limits: limits, in: database)
                    .verified(by: verifier, for: part.originals, in: part.scope))
        } catch let error as StoreError {
            return .failure(error)
        }
    }

    /// Records what only time changed.
    ///
    /// - Parameters:
    ///   - date: The current time.
    ///   - limit: The largest number of purchases.
    ///   - database: The database.
    /// - Returns: When the next change is due; nil for never.
    func recordDueEvents(until date: Int64, limit: Int, in database: Database) throws -> Int64? {
        let rows = try Row.fetchAll(
            database,
            sql: "SELECT app, environment, original FROM purchase_states WHERE due <= ? ORDER BY due LIMIT ?",
            arguments: [date, limit])
        // Otherwise a row that can't be read would be due forever.
        for row in rows {
            try database.cachedStatement(
                sql: "UPDATE purchase_states SET due = ? WHERE app = ? AND environment = ? AND original = ?"
            ).execute(
                arguments: [
                    date + PurchaseState.pause, row[0] as DatabaseValue, row[1] as DatabaseValue,
                    row[2] as DatabaseValue,
                ])
        }
        var changes = EvidenceChanges()
        for original in rows.compactMap({ ScopedOriginal($0) }) { changes.touch(original, because: EventCause(.time)) }
        try record(changes, at: date, in: database)
        return try Int64.fetchOne(database, sql: "SELECT MIN(due) FROM purchase_states WHERE due IS NOT NULL")
    }
}
#endif
