#if Postgres
import AppReceiptFoundation

// The original transactions that requests to the App Store completed, and those that wait for one.
extension PostgreSQLStore {
    /// How long a server has the requests that it found due, in milliseconds. Another one takes them afterward.
    private static let lease: Int64 = 600_000

    package func completions(
        of originals: Set<String>, in scope: AppScope
    ) async throws(StoreError) -> [String: Completion] {
        let originals = originals.filter(\.isStorable).sorted()
        return try await read(
            """
            SELECT original, completed, revision, attempts FROM completions
            WHERE app = $1 AND environment = $2 AND original = ANY($3)
            """, values: scope.postgresValues + [.texts(originals)]
        ).rows.reduce(into: [:]) { found, row in
            guard let original = row.text(0) else { return }
            found[original] = Completion(
                completed: row.integer(1), revision: row.text(2), attempts: Int(row.integer(3) ?? 0))
        }
    }

    package func enqueue(
        _ originals: Set<String>, in scope: AppScope, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError) {
        let values =
            scope.postgresValues + [
                .texts(originals.filter(\.isStorable).sorted()), .integer(due), .integer(date),
            ]
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    INSERT INTO completions AS known (app, environment, original, attempts, due)
                    SELECT $1, $2, keys.original, 0, $4 FROM unnest($3::text[]) AS keys (original)
                    ORDER BY keys.original COLLATE "C" ON CONFLICT (app, environment, original)
                    DO UPDATE SET due = EXCLUDED.due
                    WHERE known.due IS NULL AND (known.completed IS NULL OR known.completed <= $5)
                    """, values: values))
        }
    }

    package func complete(
        _ originals: Set<String>, answering request: ScopedOriginal, revision: String?, at date: Int64
    ) async throws(StoreError) -> Bool {
        let values =
            request.scope.postgresValues + [
                .texts(originals.filter(\.isStorable).sorted()), .integer(date),
                .text(revision.flatMap { $0.isStorable ? $0 : nil }),
            ]
        return try await write { transaction throws(StoreError) in
            guard try transaction.run([PostgresColumns([request]).existing(in: ["completions"])]).first?.count == 1
            else { return false }
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    INSERT INTO completions (app, environment, original, completed, revision, attempts)
                    SELECT $1, $2, keys.original, $4, $5, 0 FROM unnest($3::text[]) AS keys (original)
                    ORDER BY keys.original COLLATE "C" ON CONFLICT (app, environment, original)
                    DO UPDATE SET completed = EXCLUDED.completed, revision = EXCLUDED.revision, attempts = 0,
                        due = NULL, holder = NULL, lease = NULL
                    """, values: values))
            return true
        }
    }

    package func postpone(
        _ original: ScopedOriginal, attempts: Int, due: Int64, ifNotCompletedAfter date: Int64
    ) async throws(StoreError) {
        let values = original.postgresValues + [.integer(Int64(attempts)), .integer(due), .integer(date)]
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    UPDATE completions SET attempts = $4, due = $5, holder = NULL, lease = NULL
                    WHERE app = $1 AND environment = $2 AND original = $3 AND (completed IS NULL OR completed <= $6)
                    """, values: values))
        }
    }

    /// Whether a request is due, and no other server has it: `$1` is the date, `$2` identifies the store.
    private static let isFree = "due <= $1 AND (lease IS NULL OR lease <= $1 OR holder = $2)"

    package func scopesOfDueCompletions(at date: Int64) async throws(StoreError) -> [AppScope] {
        try await read(
            "SELECT DISTINCT app, environment FROM completions WHERE \(Self.isFree)",
            values: [.integer(date), .text(identifier)]
        ).rows.compactMap { AppScope($0) }
    }

    /// Takes the requests that are due, which no other server returns before the lease ends.
    package func dueCompletions(
        in scope: AppScope, at date: Int64, limit: Int
    ) async throws(StoreError) -> [[ScopedOriginal]] {
        let values: [PostgresValue] =
            [.integer(date), .text(identifier)] + scope.postgresValues + [
                .integer(Int64(limit)), .integer(date + Self.lease),
            ]
        let rows = try await write { transaction throws(StoreError) in
            try transaction.run(
                """
                WITH free AS (
                    SELECT app, environment, original FROM completions
                    WHERE app = $3 AND environment = $4 AND \(Self.isFree) ORDER BY due LIMIT $5
                    FOR UPDATE SKIP LOCKED
                ), taken AS (
                    UPDATE completions SET holder = $2, lease = $6 FROM free WHERE completions.app = free.app
                    AND completions.environment = free.environment AND completions.original = free.original
                    RETURNING completions.app, completions.environment, completions.original, completions.due
                )
                SELECT app, environment, original, (
                    SELECT digest FROM receipt_originals AS own WHERE own.app = taken.app
                    AND own.environment = taken.environment AND own.original = taken.original
                    ORDER BY created DESC, digest LIMIT 1
                ) FROM taken ORDER BY due
                """, values: values)
        }
        var batches = CompletionBatches<[UInt8]>()
        for row in rows.rows {
            guard let original = ScopedOriginal(row) else { continue }
            batches.add(original, in: row.bytes(3))
        }
        return batches.batches
    }

    package func pendingCompletions() async throws(StoreError) -> Int {
        Int(try await read("SELECT count(*) FROM completions WHERE due IS NOT NULL").integer ?? 0)
    }

    package func newestSignedDate(of original: ScopedOriginal) async throws(StoreError) -> Int64? {
        let match = "app = $1 AND environment = $2 AND original = $3"
        return try await read(
            """
            SELECT max(signed) FROM (
                SELECT signed FROM transactions WHERE \(match)
                UNION ALL SELECT created FROM receipt_originals WHERE \(match)) AS dates
            """, values: original.postgresValues
        ).integer
    }
}
#endif
