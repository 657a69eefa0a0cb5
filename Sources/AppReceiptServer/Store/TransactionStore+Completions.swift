#if Server
import AppReceiptKit
import AppStoreSignedData
import GRDB

// Which original transactions the App Store was asked about, and which are still to be asked.
extension TransactionStore {
    /// Reads what is known about the requests for original transactions.
    func completions(
        of originals: Set<String>, scope: AppScope
    ) async throws(StoreError) -> [String: Completion] {
        try await read { database in
            var found: [String: Completion] = [:]
            for original in originals {
                let row = try Row.fetchOne(
                    database.cachedStatement(
                        sql: """
                            SELECT completed, revision, attempts FROM completions
                            WHERE app = ? AND environment = ? AND original = ?
                            """),
                    arguments: [scope.app, scope.environment, original])
                guard let row else { continue }
                found[original] = Completion(
                    completed: Int64.fromDatabaseValue(row[0]), revision: String.fromDatabaseValue(row[1]),
                    attempts: Int.fromDatabaseValue(row[2]) ?? 0)
            }
            return found
        }
    }

    /// Adds original transactions to the queue of requests. One that is in the queue keeps its position, and one that
    /// was completed in the meantime isn't added.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: The app and environment.
    ///   - due: When to send the request, in milliseconds since 1970.
    ///   - date: The date after which a completion isn't outdated, in milliseconds since 1970.
    func enqueue(
        _ originals: Set<String>, scope: AppScope, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError) {
        _ = try await commit.perform { database in
            for original in originals.sorted() where original.isStorable {
                try database.cachedStatement(
                    sql: """
                        INSERT INTO completions (app, environment, original, attempts, due) VALUES (?, ?, ?, 0, ?)
                        ON CONFLICT DO UPDATE SET due = COALESCE(due, excluded.due)
                        WHERE completed IS NULL OR completed <= ?
                        """
                ).execute(arguments: [scope.app, scope.environment, original, due, date])
            }
            return .known
        }
    }

    /// Removes original transactions from the queue, because the App Store answered.
    ///
    /// - Parameters:
    ///   - originals: The original transactions.
    ///   - scope: The app and environment.
    ///   - revision: The position in the customer's history; nil to begin with the first page again.
    ///   - date: When the App Store answered, in milliseconds since 1970.
    func complete(
        _ originals: Set<String>, scope: AppScope, revision: String?, at date: Int64
    ) async throws(StoreError) {
        _ = try await commit.perform { database in
            for original in originals.sorted() where original.isStorable {
                try database.cachedStatement(
                    sql: """
                        INSERT INTO completions (app, environment, original, completed, revision, attempts, due)
                        VALUES (?, ?, ?, ?, ?, 0, NULL) ON CONFLICT DO UPDATE
                        SET completed = excluded.completed, revision = excluded.revision, attempts = 0, due = NULL
                        """
                ).execute(arguments: [scope.app, scope.environment, original, date, revision])
            }
            return .known
        }
    }

    /// Postpones the request for an original transaction, because it failed.
    ///
    /// - Parameters:
    ///   - original: The original transaction.
    ///   - attempts: The number of failed requests.
    ///   - due: When to send the next request, in milliseconds since 1970.
    func postpone(_ original: ScopedOriginal, attempts: Int, due: Int64) async throws(StoreError) {
        let scope = original.scope
        _ = try await commit.perform { database in
            try database.cachedStatement(
                sql: "UPDATE completions SET attempts = ?, due = ? WHERE app = ? AND environment = ? AND original = ?"
            ).execute(
                arguments: [attempts, due, scope.app, scope.environment, original.originalTransactionIdentifier])
            return .known
        }
    }

    /// The apps and environments with due requests.
    func scopesOfDueCompletions(at date: Int64) async throws(StoreError) -> [AppScope] {
        try await read { database in
            try Row.fetchAll(
                database, sql: "SELECT DISTINCT app, environment FROM completions WHERE due <= ?", arguments: [date]
            ).compactMap { row in
                guard let app = String.fromDatabaseValue(row[0]), let name = String.fromDatabaseValue(row[1]) else {
                    return nil
                }
                return AppScope(app: app, AppStoreEnvironment(rawValue: name))
            }
        }
    }

    /// The original transactions of an app whose requests are due, those first that are due longest.
    ///
    /// - Returns: Batches: those of one receipt are together, because they are probably one customer's.
    func dueCompletions(
        _ scope: AppScope, at date: Int64, limit: Int
    ) async throws(StoreError) -> [[ScopedOriginal]] {
        try await read { database in
            var batches: [[ScopedOriginal]] = []
            var positions: [Int64: Int] = [:]
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT original, (
                        SELECT MAX(receipt) FROM receipt_originals
                        WHERE app = completions.app AND environment = completions.environment
                        AND original = completions.original
                    ) FROM completions WHERE app = ? AND environment = ? AND due <= ? ORDER BY due LIMIT ?
                    """,
                arguments: [scope.app, scope.environment, date, limit])
            while let row = try rows.next() {
                guard let identifier = String.fromDatabaseValue(row[0]) else { continue }
                let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: identifier)
                let receipt = Int64.fromDatabaseValue(row[1])
                if let receipt, let position = positions[receipt] {
                    batches[position].append(original)
                } else {
                    if let receipt { positions[receipt] = batches.count }
                    batches.append([original])
                }
            }
            return batches
        }
    }

    /// When the newest stored transaction or receipt of an original transaction was signed, in milliseconds since 1970;
    /// nil without one.
    func newestSignedDate(of original: ScopedOriginal) async throws(StoreError) -> Int64? {
        let (scope, identifier) = (original.scope, original.originalTransactionIdentifier)
        return try await read { database in
            try Int64.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT MAX(signed) FROM (
                            SELECT signed FROM transactions WHERE app = ?1 AND environment = ?2 AND original = ?3
                            UNION ALL SELECT created FROM receipt_originals CROSS JOIN receipts ON number = receipt
                            WHERE receipt_originals.app = ?1 AND receipt_originals.environment = ?2 AND original = ?3)
                        """),
                arguments: [scope.app, scope.environment, identifier])
        }
    }

    /// The number of original transactions in the queue.
    func pendingCompletions() async throws(StoreError) -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM completions WHERE due IS NOT NULL") ?? 0 }
    }

    /// Stores what the App Store answered about a customer, in one commit. The answers belong to no account.
    func record(
        _ transactions: [VerifiedTransaction], renewals: [VerifiedRenewalInfo] = [], app: String
    ) async throws(StoreError) {
        let writer = writer
        _ = try await commit.perform { database in
            for transaction in transactions { _ = try writer.write(transaction, for: nil, in: database) }
            for renewal in renewals { _ = try writer.write(renewal, app: app, in: database) }
            return .known
        }
    }
}

/// What the database contains about the requests to the App Store for one original transaction. Dates are milliseconds
/// since 1970.
struct Completion: Sendable, Hashable {
    /// When the App Store last answered completely; nil if it never did.
    var completed: Int64?
    /// The position in the customer's history from which the next request continues.
    var revision: String?
    /// The number of requests that failed since.
    var attempts: Int
}
#endif
