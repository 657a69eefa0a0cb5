#if Server
package import AppReceiptFoundation
import AppReceiptKit
import GRDB

// Changes of entitlements. The numbers of events are in the order of the commits, because SQLite has one writer.
extension SQLiteStore {
    package func events(
        after cursor: Int64, limit: Int, apps: Set<String>?
    ) async throws(StoreError) -> EventPage {
        try await read { database in
            let isOfApp = apps == nil ? "" : "AND app IN (SELECT value FROM json_each(?3))"
            var arguments: StatementArguments = [cursor, limit]
            if let apps { arguments += [apps.sorted().jsonArray] }
            // Read first: an event that is written meanwhile isn't skipped. Forwarded notifications may be deleted.
            let last =
                try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0
            let events = try Row.fetchAll(
                database,
                sql: """
                    SELECT \(EntitlementEvent.columns) FROM events
                    WHERE number > ?1 AND type IS NOT NULL \(isOfApp) ORDER BY number LIMIT ?2
                    """,
                arguments: arguments
            ).compactMap { EntitlementEvent($0) }
            let end = events.last?.cursor ?? last
            return EventPage(events: events, next: events.count < limit ? max(end, last) : end)
        }
    }

    package func recordDueEvents(at date: Date) async throws(StoreError) -> Int64? {
        try await write { [writer] in try writer.recordDueEvents(until: date, limit: 100, in: $0) }
    }
}

extension EntitlementEvent {
    static let columns = """
        number, type, date, app, environment, account, product, original, before, after, cause, notification_type,
        notification_uuid
        """

    /// - Parameters:
    ///   - row: The row of the query.
    ///   - column: The first column of the event.
    init?(_ row: Row, from column: Int = 0) {
        guard let number = Int64.fromDatabaseValue(row[column]),
            let type = String.fromDatabaseValue(row[column + 1]).flatMap({ EntitlementEventType(rawValue: $0) }),
            let date = Int64.fromDatabaseValue(row[column + 2]), let scope = AppScope(row, from: column + 3),
            let kind = String.fromDatabaseValue(row[column + 10]).flatMap({ EventCause.Kind(rawValue: $0) })
        else { return nil }
        self.init(
            cursor: number, type: type, date: date, scope: scope,
            account: String.fromDatabaseValue(row[column + 5]),
            productIdentifier: String.fromDatabaseValue(row[column + 6]),
            originalTransactionIdentifier: String.fromDatabaseValue(row[column + 7]),
            before: String.fromDatabaseValue(row[column + 8]), after: String.fromDatabaseValue(row[column + 9]),
            cause: EventCause(
                kind, notificationType: String.fromDatabaseValue(row[column + 11]),
                notificationUUID: String.fromDatabaseValue(row[column + 12])))
    }
}
#endif
