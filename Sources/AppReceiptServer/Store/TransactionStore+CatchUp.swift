#if Server
import AppReceiptKit
import GRDB

// Which notifications were read from the App Store.
extension TransactionStore {
    /// The date up to which the notifications of an app were read from the App Store, in milliseconds since 1970; nil
    /// if they never were.
    func caughtUp(_ scope: AppScope) async throws(StoreError) -> Int64? { try await setting("caught-up", of: scope) }

    /// The length of the period with which an interrupted pass continues, in milliseconds; nil if the last pass reached
    /// its end.
    func periodLength(_ scope: AppScope) async throws(StoreError) -> Int64? {
        try await setting("period-length", of: scope)
    }

    private func setting(_ name: String, of scope: AppScope) async throws(StoreError) -> Int64? {
        try await read { database in
            try Int64.fetchOne(
                database, sql: "SELECT value FROM settings WHERE name = ?", arguments: [Self.setting(name, of: scope)])
        }
    }

    private static func setting(_ name: String, of scope: AppScope) -> String {
        "\(name) \(scope.environment) \(scope.app)"
    }

    /// Stores how far the notifications of an app were read.
    ///
    /// - Parameters:
    ///   - scope: The app and environment.
    ///   - date: The date up to which they were read, in milliseconds since 1970; nil to leave it as it is.
    ///   - length: The length of the period with which the pass continues, in milliseconds; nil at its end.
    ///   - gap: The period before the date that has to be read again; nil if there is none.
    func setCaughtUp(
        _ scope: AppScope, to date: Int64?, length: Int64?, gap: NotificationGap? = nil
    ) async throws(StoreError) {
        _ = try await commit.perform { database in
            let replace = "INSERT OR REPLACE INTO settings (name, value) VALUES (?, ?)"
            if let date {
                try database.execute(sql: replace, arguments: [Self.setting("caught-up", of: scope), date])
            }
            let name = Self.setting("period-length", of: scope)
            if let length {
                try database.execute(sql: replace, arguments: [name, length])
            } else {
                try database.execute(sql: "DELETE FROM settings WHERE name = ?", arguments: [name])
            }
            if let gap { try Self.insert(gap, of: scope, in: database) }
            return .known
        }
    }

    /// The periods after a date that have to be read again, due or not, the earliest first.
    func gaps(_ scope: AppScope, after date: Int64) async throws(StoreError) -> [Range<Int64>] {
        try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT since, until FROM notification_gaps
                    WHERE app = ? AND environment = ? AND until > ? ORDER BY since
                    """,
                arguments: [scope.app, scope.environment, date]
            ).compactMap { row in
                guard let since = Int64.fromDatabaseValue(row[0]), let until = Int64.fromDatabaseValue(row[1]),
                    since < until
                else { return nil }
                return since..<until
            }
        }
    }

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
    func remove(_ gap: NotificationGap, of scope: AppScope) async throws(StoreError) {
        _ = try await commit.perform { database in
            try database.execute(
                sql: "DELETE FROM notification_gaps WHERE app = ? AND environment = ? AND since = ?",
                arguments: [scope.app, scope.environment, gap.period.lowerBound])
            return .known
        }
    }

    /// Stores when a period is read again.
    func postpone(_ gap: NotificationGap, of scope: AppScope) async throws(StoreError) {
        _ = try await commit.perform { database in
            try database.execute(
                sql: """
                    UPDATE notification_gaps SET attempts = ?, due = ? WHERE app = ? AND environment = ? AND since = ?
                    """,
                arguments: [gap.attempts, gap.due, scope.app, scope.environment, gap.period.lowerBound])
            return .known
        }
    }

    /// Adds a period. A longer one with the same beginning isn't shortened, and keeps its attempts.
    private static func insert(_ gap: NotificationGap, of scope: AppScope, in database: Database) throws {
        try database.execute(
            sql: """
                INSERT INTO notification_gaps (app, environment, since, until, attempts, due) VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT DO UPDATE SET until = MAX(until, excluded.until)
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
                return AppScope(app: app, AppStoreEnvironment(rawValue: name))
            }
        }
    }
}

/// A period of the App Store's notification history in which something couldn't be read or verified. Dates are
/// milliseconds since 1970.
struct NotificationGap: Sendable, Hashable {
    /// The period.
    var period: Range<Int64>
    /// The number of times that it was read.
    var attempts: Int
    /// When it is read again.
    var due: Int64
}
#endif
