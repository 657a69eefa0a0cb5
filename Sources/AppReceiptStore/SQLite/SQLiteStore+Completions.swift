#if Server
import AppReceiptFoundation
import GRDB

// The original transactions that requests to the App Store completed, and those that wait for one.
extension SQLiteStore {
    package func completions(
        of originals: Set<String>, in scope: AppScope
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
                    arguments: scope.arguments + [original])
                guard let row else { continue }
                found[original] = Completion(
                    completed: Int64.fromDatabaseValue(row[0]), revision: String.fromDatabaseValue(row[1]),
                    attempts: Int.fromDatabaseValue(row[2]) ?? 0)
            }
            return found
        }
    }

    package func enqueue(
        _ originals: Set<String>, in scope: AppScope, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError) {
        try await write { database in
            for original in originals.sorted() where original.isStorable {
                try database.cachedStatement(
                    sql: """
                        INSERT INTO completions (app, environment, original, attempts, due) VALUES (?, ?, ?, 0, ?)
                        ON CONFLICT DO UPDATE SET due = COALESCE(due, excluded.due)
                        WHERE completed IS NULL OR completed <= ?
                        """
                ).execute(arguments: scope.arguments + [original, due, date])
            }
        }
    }

    /// Whether an original transaction is in the queue or completed. One that was forgotten isn't, until it is
    /// submitted again.
    static func isRequested(_ original: ScopedOriginal, in database: Database) throws -> Bool {
        try Int.fetchOne(
            database.cachedStatement(
                sql: "SELECT 1 FROM completions WHERE app = ? AND environment = ? AND original = ?"),
            arguments: original.arguments) != nil
    }

    package func complete(
        _ originals: Set<String>, answering request: ScopedOriginal, revision: String?, at date: Int64
    ) async throws(StoreError) -> Bool {
        let scope = request.scope
        return try await write { database in
            guard try Self.isRequested(request, in: database) else { return false }
            for original in originals.sorted() where original.isStorable {
                try database.cachedStatement(
                    sql: """
                        INSERT INTO completions (app, environment, original, completed, revision, attempts, due)
                        VALUES (?, ?, ?, ?, ?, 0, NULL) ON CONFLICT DO UPDATE
                        SET completed = excluded.completed, revision = excluded.revision, attempts = 0, due = NULL
                        """
                ).execute(arguments: scope.arguments + [original, date, revision])
            }
            return true
        }
    }

    package func postpone(
        _ original: ScopedOriginal, attempts: Int, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError) {
        try await write { database in
            try database.cachedStatement(
                sql: """
                    UPDATE completions SET attempts = ?, due = ? WHERE app = ? AND environment = ? AND original = ?
                    AND (completed IS NULL OR completed <= ?)
                    """
            ).execute(arguments: [attempts, due] + original.arguments + [date])
        }
    }

    package func scopesOfDueCompletions(at date: Int64) async throws(StoreError) -> [AppScope] {
        try await read { database in
            try Row.fetchAll(
                database, sql: "SELECT DISTINCT app, environment FROM completions WHERE due <= ?", arguments: [date]
            ).compactMap { AppScope($0) }
        }
    }

    package func dueCompletions(
        in scope: AppScope, at date: Int64, limit: Int
    ) async throws(StoreError) -> [[ScopedOriginal]] {
        try await read { database in
            var batches = CompletionBatches<Int64>()
            let rows = try Row.fetchCursor(
                database,
                sql: """
                    SELECT original, (
                        SELECT MAX(receipt) FROM receipt_originals
                        WHERE app = completions.app AND environment = completions.environment
                        AND original = completions.original
                    ) FROM completions WHERE app = ? AND environment = ? AND due <= ? ORDER BY due LIMIT ?
                    """,
                arguments: scope.arguments + [date, limit])
            while let row = try rows.next() {
                guard let identifier = String.fromDatabaseValue(row[0]) else { continue }
                let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: identifier)
                batches.add(original, in: Int64.fromDatabaseValue(row[1]))
            }
            return batches.batches
        }
    }

    package func pendingCompletions() async throws(StoreError) -> Int {
        try await read { try Int.fetchOne($0, sql: "SELECT COUNT(*) FROM completions WHERE due IS NOT NULL") ?? 0 }
    }

    package func newestSignedDate(of original: ScopedOriginal) async throws(StoreError) -> Int64? {
        try await read { database in
            try Int64.fetchOne(
                database.cachedStatement(
                    sql: """
                        SELECT MAX(signed) FROM (
                            SELECT signed FROM transactions WHERE app = ?1 AND environment = ?2 AND original = ?3
                            UNION ALL SELECT created FROM receipt_originals CROSS JOIN receipts ON number = receipt
                            WHERE receipt_originals.app = ?1 AND receipt_originals.environment = ?2 AND original = ?3)
                        """),
                arguments: original.arguments)
        }
    }
}
#endif
