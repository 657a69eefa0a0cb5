#if Server
package import AppReceiptFoundation
package import AppReceiptKit
import AppReceiptSupport
import GRDB

// Changes of entitlements. The numbers of events are in the order of the commits, because SQLite has one writer.
extension SQLiteStore {
    package func events(
        after cursor: Int64, limit: Int, apps: Set<String>?, environments: Set<AppStoreEnvironment>?
    ) async throws(StoreError) -> EventPage {
        try await read { [state] database in
            // Read first: an event that is written meanwhile isn't skipped. Forwarded notifications may be deleted.
            let last = try Self.lastEvent(in: database)
            var (events, skipped): ([EntitlementEvent], Int) = ([], 0)
            // App by app, because SQLite can only merge the apps by sorting all of their events.
            for app in apps.map({ $0.sorted().map { $0 as String? } }) ?? [nil] {
                let found = try Self.events(
                    of: app, environments: environments, after: cursor, limit: limit, in: database)
                events += found.events
                skipped += found.skipped
            }
            state.countSkipped(skipped)
            if apps != nil { events = Array(events.sorted { $0.cursor < $1.cursor }.prefix(limit)) }
            let end = events.last?.cursor ?? last
            return EventPage(events: events, next: events.count < limit ? max(end, last) : end)
        }
    }

    /// The first events of an app after a cursor, and the number of rows between them that can't be read.
    ///
    /// - Parameters:
    ///   - app: The app; nil for all.
    ///   - environments: The environments; nil for all.
    ///   - cursor: The cursor.
    ///   - limit: The largest number of events.
    ///   - database: The database.
    private static func events(
        of app: String?, environments: Set<AppStoreEnvironment>?, after cursor: Int64, limit: Int,
        in database: Database
    ) throws -> (events: [EntitlementEvent], skipped: Int) {
        let source = app == nil ? "events WHERE ?2 IS NULL AND" : "events INDEXED BY events_app WHERE app = ?2 AND"
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT \(EntitlementEvent.columns) FROM \(source) number > ?1 AND type IS NOT NULL
                    AND (?3 IS NULL OR environment IN (SELECT value FROM json_each(?3))) ORDER BY number
                    """),
            arguments: [cursor, app, environments?.map(\.rawValue).jsonArray])
        var (events, skipped): ([EntitlementEvent], Int) = ([], 0)
        while events.count < limit, let row = try rows.next() {
            if let event = EntitlementEvent(row) { events.append(event) } else { skipped += 1 }
        }
        return (events, skipped)
    }

    /// The number of the last event; 0 without one.
    static func lastEvent(in database: Database) throws -> Int64 {
        try Int64.fetchOne(database, sql: "SELECT seq FROM sqlite_sequence WHERE name = 'events'") ?? 0
    }

    package func reportedPurchases(
        after purchase: ScopedOriginal?, limit: Int, apps: Set<String>?, environments: Set<AppStoreEnvironment>?
    ) async throws(StoreError) -> ReportedPurchasePage {
        try await read { database in
            // Read first: an event that is written meanwhile isn't skipped.
            let event = try Self.lastEvent(in: database)
            let exact = apps.map { Set($0.map { ExactString($0) }) }
            var purchases: [ReportedPurchase] = []
            var scope = try purchase?.scope ?? Self.scope(after: nil, in: database)
            var last = purchase?.originalTransactionIdentifier ?? ""
            // App by app, so that the purchases of others aren't read.
            while let current = scope, purchases.count < limit {
                if exact?.contains(ExactString(current.app)) ?? true,
                    environments?.contains(current.environment) ?? true
                {
                    purchases += try Self.purchases(
                        in: current, after: last, limit: limit - purchases.count, from: database)
                }
                (scope, last) = (try Self.scope(after: current, in: database), "")
            }
            return ReportedPurchasePage(
                purchases: purchases, last: purchases.count < limit ? nil : purchases.last?.original, event: event)
        }
    }

    /// The app and environment that follow others among the reported purchases; nil at the end.
    private static func scope(after scope: AppScope?, in database: Database) throws -> AppScope? {
        var (app, environment) = (scope?.app ?? "", scope?.environment.rawValue ?? "")
        while let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT app, environment FROM purchase_states
                    WHERE (app, environment) > (?, ?) AND entitlements IS NOT NULL ORDER BY app, environment LIMIT 1
                    """), arguments: [app, environment])
        {
            if let scope = AppScope(row) { return scope }
            // Only an editor of the file leaves another environment.
            (app, environment) = (String.fromDatabaseValue(row[0]) ?? app, String.fromDatabaseValue(row[1]) ?? "")
        }
        return nil
    }

    /// The reported purchases of an app and environment after an original transaction.
    private static func purchases(
        in scope: AppScope, after original: String, limit: Int, from database: Database
    ) throws -> [ReportedPurchase] {
        let rows = try Row.fetchCursor(
            database.cachedStatement(
                sql: """
                    SELECT app, environment, original FROM purchase_states
                    WHERE app = ? AND environment = ? AND original > ? AND entitlements IS NOT NULL ORDER BY original
                    """), arguments: scope.arguments + [original])
        var purchases: [ReportedPurchase] = []
        while purchases.count < limit, let row = try rows.next() {
            guard let original = ScopedOriginal(row),
                let purchase = try StoredPurchase(original, from: database).reported
            else { continue }
            purchases.append(purchase)
        }
        return purchases
    }

    package func recordDueEvents(at date: Date) async throws(StoreError) -> Int64? {
        let date = date.milliseconds ?? 0
        return try await write { [writer] in try writer.recordDueEvents(until: date, limit: 100, in: $0) }
    }
}

extension EntitlementEvent {
    static let columns = """
        number, type, date, app, environment, account, product, original, before, after, cause, notification_type,
        notification_uuid, former_account
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
            formerAccount: String.fromDatabaseValue(row[column + 13]),
            productIdentifier: String.fromDatabaseValue(row[column + 6]),
            originalTransactionIdentifier: String.fromDatabaseValue(row[column + 7]),
            before: String.fromDatabaseValue(row[column + 8]), after: String.fromDatabaseValue(row[column + 9]),
            cause: EventCause(
                kind, notificationType: String.fromDatabaseValue(row[column + 11]),
                notificationUUID: String.fromDatabaseValue(row[column + 12])))
    }

    /// Inserts the event, which gets the next number.
    func insert(into database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT INTO events (type, date, app, environment, account, former_account, product, original, before,
                    after, cause, notification_type, notification_uuid)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [type.rawValue, date] + scope.arguments + [
                account, formerAccount, productIdentifier, originalTransactionIdentifier, before, after,
                cause.kind.rawValue, cause.notificationType, cause.notificationUUID,
            ])
    }
}
#endif
