#if Server
import AppReceiptFoundation
import GRDB

// How far the notifications of each app were read from the App Store.
extension SQLiteStore {
    package func scopes() async throws(StoreError) -> [AppScope] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT app, environment FROM transactions UNION SELECT app, environment FROM receipts
                    UNION SELECT app, environment FROM renewals ORDER BY app, environment
                    """
            ).compactMap { AppScope($0) }
        }
    }

    package func catchUpPosition(of scope: AppScope) async throws(StoreError) -> CatchUpPosition {
        try await read { database in
            let row = try Row.fetchOne(
                database,
                sql: "SELECT reached, period_length FROM catch_up_positions WHERE app = ? AND environment = ?",
                arguments: scope.arguments)
            guard let row else { return CatchUpPosition() }
            return CatchUpPosition(
                reached: Int64.fromDatabaseValue(row[0]), periodLength: Int64.fromDatabaseValue(row[1]))
        }
    }

    package func setCatchUpPosition(
        _ position: CatchUpPosition, of scope: AppScope, leaving gap: NotificationGap?
    ) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql: """
                    INSERT OR REPLACE INTO catch_up_positions (app, environment, reached, period_length)
                    VALUES (?, ?, ?, ?)
                    """,
                arguments: scope.arguments + [position.reached, position.periodLength])
            guard let gap else { return }
            try database.execute(
                sql: """
                    INSERT INTO notification_gaps (app, environment, since, until, attempts, due)
                    VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET until = MAX(until, excluded.until)
                    """,
                arguments: scope.arguments + [gap.period.lowerBound, gap.period.upperBound, gap.attempts, gap.due])
        }
    }

    package func gaps(in scope: AppScope) async throws(StoreError) -> [NotificationGap] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT since, until, attempts, due FROM notification_gaps
                    WHERE app = ? AND environment = ? ORDER BY since
                    """,
                arguments: scope.arguments
            ).compactMap { row in
                guard let since = Int64.fromDatabaseValue(row[0]), let until = Int64.fromDatabaseValue(row[1]),
                    let attempts = Int.fromDatabaseValue(row[2]), let due = Int64.fromDatabaseValue(row[3]),
                    since < until
                else { return nil }
                return NotificationGap(period: since..<until, attempts: attempts, due: due)
            }
        }
    }

    package func update(_ gap: NotificationGap, in scope: AppScope) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql: """
                    UPDATE notification_gaps SET attempts = ?, due = ? WHERE app = ? AND environment = ? AND since = ?
                    """,
                arguments: [gap.attempts, gap.due] + scope.arguments + [gap.period.lowerBound])
        }
    }

    package func remove(_ gap: NotificationGap, in scope: AppScope) async throws(StoreError) {
        try await write { database in
            try database.execute(
                sql: "DELETE FROM notification_gaps WHERE app = ? AND environment = ? AND since = ?",
                arguments: scope.arguments + [gap.period.lowerBound])
        }
    }
}
#endif
