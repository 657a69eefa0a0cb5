#if Postgres
package import AppReceiptFoundation
package import AppReceiptKit
import AppReceiptSupport

// Changes of entitlements. The numbers of events are in the order in which they become visible, because a transaction
// that gives out numbers locks the last one until it ends.
extension PostgreSQLStore {
    private static let lastEvent = PostgresStatement("SELECT value FROM counters WHERE name = 'events'")

    package func events(
        after cursor: Int64, limit: Int, apps: Set<String>?, environments: Set<AppStoreEnvironment>?
    ) async throws(StoreError) -> EventPage {
        try state.checkOpen()
        let (names, limit) = (apps?.filter(\.isStorable).sorted(), Int64(clamping: max(limit, 0)))
        let values: [PostgresValue] = [
            .integer(cursor), .integer(limit), .texts(environments?.map(\.rawValue) ?? []),
            .boolean(environments == nil), .texts(names ?? []),
        ]
        let condition = "number > $1 AND type IS NOT NULL AND ($4 OR environment = ANY($3)) ORDER BY number LIMIT $2"
        // App by app, because an index has the events of one app in their order.
        let source =
            names == nil
            ? "events WHERE $5::text[] = '{}' AND \(condition)"
            : """
            unnest($5::text[]) AS keys (app) CROSS JOIN LATERAL (
                SELECT * FROM events WHERE events.app = keys.app AND \(condition)
            ) AS events ORDER BY number LIMIT $2
            """
        // The last event is read first: one that is written meanwhile isn't skipped.
        let results = try await readers.read([
            Self.lastEvent,
            PostgresStatement("SELECT \(EntitlementEvent.postgresColumns) FROM \(source)", values: values),
        ])
        let last = results[0].integer ?? 0
        let events = results[1].rows.compactMap { EntitlementEvent($0) }
        state.countSkipped(results[1].count - events.count)
        let end = results[1].rows.last?.integer(0) ?? last
        return EventPage(events: events, next: results[1].count < limit ? max(end, last) : end)
    }

    package func reportedPurchases(
        after purchase: ScopedOriginal?, limit: Int, apps: Set<String>?, environments: Set<AppStoreEnvironment>?
    ) async throws(StoreError) -> ReportedPurchasePage {
        try state.checkOpen()
        let event = try await readers.read([Self.lastEvent]).first?.integer ?? 0
        let exact = apps.map { Set($0.map { ExactString($0) }) }
        var purchases: [ReportedPurchase] = []
        var scope = purchase?.scope
        if scope == nil { scope = try await self.scope(after: nil) }
        var last = purchase?.originalTransactionIdentifier ?? ""
        // App by app, so that the purchases of others aren't read.
        while let current = scope, purchases.count < limit {
            if exact?.contains(ExactString(current.app)) ?? true, environments?.contains(current.environment) ?? true {
                let missing = limit - purchases.count
                let found = try await read(
                    """
                    SELECT \(StoredPurchase.postgresColumns) FROM purchases WHERE app = $1 AND environment = $2
                    AND original > $3 AND entitlements <> '[]' ORDER BY original LIMIT $4
                    """, values: current.postgresValues + [.text(last), .integer(Int64(missing))])
                purchases += found.rows.compactMap { StoredPurchase($0)?.reported }
                if found.count == missing, let end = found.rows.last?.text(2) {
                    // There may be more, if some can't be read.
                    last = end
                    continue
                }
            }
            (scope, last) = (try await self.scope(after: current), "")
        }
        return ReportedPurchasePage(
            purchases: purchases, last: purchases.count < limit ? nil : purchases.last?.original, event: event)
    }

    /// The app and environment that follow others among the purchases; nil at the end.
    private func scope(after scope: AppScope?) async throws(StoreError) -> AppScope? {
        var (app, environment) = (scope?.app ?? "", scope?.environment.rawValue ?? "")
        while let row = try await read(
            """
            SELECT app, environment FROM purchases WHERE (app, environment) > ($1, $2)
            ORDER BY app, environment LIMIT 1
            """, values: [.text(app), .text(environment)]
        ).first {
            if let scope = AppScope(row) { return scope }
            // Only an editor of the database leaves another environment.
            (app, environment) = (row.text(0) ?? app, row.text(1) ?? "")
        }
        return nil
    }

    package func recordDueEvents(at date: Date) async throws(StoreError) -> Int64? {
        let date = date.milliseconds ?? 0
        return try await perform { [writer] session throws(StoreError) in
            try writer.recordDueEvents(until: date, limit: 100, with: session)
        }
    }
}
#endif
