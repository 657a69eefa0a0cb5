#if Server
import AppReceiptKit
import GRDB

// Which notifications were read from the App Store.
extension TransactionStore {
    /// The date up to which the notifications of an app were read from the App Store; nil if they never were.
    func caughtUp(_ scope: AppScope) async throws(StoreError) -> Int64? {
        try await read { database in
            try Int64.fetchOne(
                database, sql: "SELECT value FROM settings WHERE name = ?", arguments: [Self.setting(scope)])
        }
    }

    /// Stores the date up to which the notifications of an app were read.
    ///
    /// - Parameters:
    ///   - scope: The app and environment.
    ///   - date: The date, in milliseconds since 1970.
    ///   - gap: The period before the date that has to be read again; nil if there is none.
    func setCaughtUp(_ scope: AppScope, _ date: Int64, gap: NotificationGap?) async throws(StoreError) {
        _ = try await commit.perform { database in
            try database.execute(
                sql: "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)",
                arguments: [Self.setting(scope), date])
            if let gap { try Self.write(gap, scope, database) }
            return .known
        }
    }

    private static func setting(_ scope: AppScope) -> String { "caught-up \(scope.environment) \(scope.app)" }

    /// The periods that are due to be read again, the earliest first.
    func dueGaps(_ scope: AppScope, at date: Int64, limit: Int) async throws(StoreError) -> [NotificationGap] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT since, until, attempts, due FROM notification_gaps
                    WHERE app = ? AND environment = ? AND due <= ? ORDER BY since LIMIT ?
                    """,
                arguments: [scope.app, scope.environment, date, limit]
            ).compactMap { row in
                guard let since = Int64.fromDatabaseValue(row[0]), let until = Int64.fromDatabaseValue(row[1]),
                    let attempts = Int.fromDatabaseValue(row[2]), let due = Int64.fromDatabaseValue(row[3]),
                    since < until
                else { return nil }
                return NotificationGap(period: since..<until, attempts: attempts, due: due)
            }
        }
    }

    /// Removes a period that was read, or that isn't read again.
    func remove(_ gap: NotificationGap, _ scope: AppScope) async throws(StoreError) {
        _ = try await commit.perform { database in
            try database.execute(
                sql: "DELETE FROM notification_gaps WHERE app = ? AND environment = ? AND since = ?",
                arguments: [scope.app, scope.environment, gap.period.lowerBound])
            return .known
        }
    }

    /// Stores when a period is read again.
    func postpone(_ gap: NotificationGap, _ scope: AppScope) async throws(StoreError) {
        _ = try await commit.perform { database in
            try Self.write(gap, scope, database)
            return .known
        }
    }

    private static func write(_ gap: NotificationGap, _ scope: AppScope, _ database: Database) throws {
        try database.execute(
            sql: """
                INSERT OR REPLACE INTO notification_gaps (app, environment, since, until, attempts, due)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                scope.app, scope.environment, gap.period.lowerBound, gap.period.upperBound, gap.attempts, gap.due,
            ])
    }

    /// The apps and environments of the stored data.
    func scopes() async throws(StoreError) -> [AppScope] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT app, environment FROM transactions UNION SELECT app, environment FROM receipts
                    UNION SELECT app, environment FROM renewals ORDER BY app, environment
                    """
            ).compactMap { row in
                guard let app = String.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]) else {
                    return nil
                }
                return AppScope(app: app, ReceiptEnvironment.Base(rawValue: name))
            }
        }
    }
}
#endif
