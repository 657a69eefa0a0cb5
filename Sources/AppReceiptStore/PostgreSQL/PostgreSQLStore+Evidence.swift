#if Postgres
import AppReceiptFoundation
public import AppReceiptKit
public import AppStoreSignedData

extension PostgreSQLStore {
    /// Returns the stored evidence of these original transactions that still verifies.
    ///
    /// ``StoreLimits`` never hide a revocation: only older transactions that weren't revoked are left out.
    ///
    /// - Throws: `tooMuchEvidence` if the required rows exceed the limits, otherwise the error of reading.
    public func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) async throws(StoreError) -> CustomerEvidence {
        guard let scope = AppScope(app: app, environment) else { return CustomerEvidence() }
        return try await evidence(of: originals, in: scope).evidence
    }

    package func evidence(of originals: Set<String>, in scope: AppScope) async throws(StoreError) -> StoredEvidence {
        guard !originals.isEmpty else { return StoredEvidence() }
        return try await evidence(of: originals, in: scope, excluding: nil)
    }

    package func evidence(beside receipt: VerifiedReceipt) async throws(StoreError) -> StoredEvidence {
        guard receipt.hasOriginals, let scope = AppScope(app: receipt.bundleIdentifier, receipt.environment)
        else { return StoredEvidence() }
        return try await evidence(
            of: receipt.originals, in: scope, excluding: Data(ContentDigest.sha256(of: receipt)))
    }

    /// Reading takes one round trip, so nothing is quicker.
    package func isSole(_ receipt: VerifiedReceipt) async throws(StoreError) -> Bool { false }

    /// Reads rows on a thread of a reader, and verifies them on the caller's.
    private func evidence(
        of originals: Set<String>, in scope: AppScope, excluding digest: Data?
    ) async throws(StoreError) -> StoredEvidence {
        try state.checkOpen()
        let statements = EvidenceRows.statements(of: originals, scope: scope, excluding: digest, limits: limits)
        let results = try await readers.read(statements + [Self.forgetCount])
        let rows = try EvidenceRows(results.prefix(statements.count), of: originals, limits: limits)
        var stored = try state.verified(rows, by: verifier, for: originals, in: scope)
        stored.generation = results.last?.integer ?? 0
        return stored
    }

    package var untrustedOriginals: [ScopedOriginal] { state.untrustedOriginals }

    package func scopes() async throws(StoreError) -> [AppScope] {
        try await read(
            """
            SELECT app, environment FROM transactions UNION SELECT app, environment FROM receipts
            UNION SELECT app, environment FROM renewals ORDER BY app, environment
            """
        ).rows.compactMap { AppScope($0) }
    }

    // MARK: The App Store's notification history

    package func catchUpPosition(of scope: AppScope) async throws(StoreError) -> CatchUpPosition {
        let row = try await read(
            "SELECT reached, period_length FROM catch_up_positions WHERE app = $1 AND environment = $2",
            values: scope.postgresValues
        ).first
        return CatchUpPosition(reached: row?.integer(0), periodLength: row?.integer(1))
    }

    package func setCatchUpPosition(
        _ position: CatchUpPosition, of scope: AppScope, leaving gap: NotificationGap?
    ) async throws(StoreError) {
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    INSERT INTO catch_up_positions (app, environment, reached, period_length) VALUES ($1, $2, $3, $4)
                    ON CONFLICT (app, environment)
                    DO UPDATE SET reached = EXCLUDED.reached, period_length = EXCLUDED.period_length
                    """,
                    values: scope.postgresValues + [.integer(position.reached), .integer(position.periodLength)]))
            guard let gap else { return }
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    INSERT INTO notification_gaps AS known (app, environment, since, until, attempts, due)
                    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (app, environment, since)
                    DO UPDATE SET until = greatest(known.until, EXCLUDED.until)
                    """,
                    values: scope.postgresValues + [
                        .integer(gap.period.lowerBound), .integer(gap.period.upperBound),
                        .integer(Int64(gap.attempts)), .integer(gap.due),
                    ]))
        }
    }

    package func gaps(in scope: AppScope) async throws(StoreError) -> [NotificationGap] {
        try await read(
            """
            SELECT since, until, attempts, due FROM notification_gaps WHERE app = $1 AND environment = $2 ORDER BY since
            """, values: scope.postgresValues
        ).rows.compactMap { row in
            guard let since = row.integer(0), let until = row.integer(1), let attempts = row.integer(2),
                let due = row.integer(3), since < until
            else { return nil }
            return NotificationGap(period: since..<until, attempts: Int(attempts), due: due)
        }
    }

    package func update(_ gap: NotificationGap, in scope: AppScope) async throws(StoreError) {
        let values =
            scope.postgresValues + [
                .integer(gap.period.lowerBound), .integer(Int64(gap.attempts)), .integer(gap.due),
            ]
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    """
                    UPDATE notification_gaps SET attempts = $4, due = $5
                    WHERE app = $1 AND environment = $2 AND since = $3
                    """, values: values))
        }
    }

    package func remove(_ gap: NotificationGap, in scope: AppScope) async throws(StoreError) {
        let values = scope.postgresValues + [.integer(gap.period.lowerBound)]
        try await write { transaction throws(StoreError) in
            transaction.lastStatements.append(
                PostgresStatement(
                    "DELETE FROM notification_gaps WHERE app = $1 AND environment = $2 AND since = $3", values: values))
        }
    }
}
#endif
