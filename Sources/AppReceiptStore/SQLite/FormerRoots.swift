#if Server
import GRDB

/// Finds the stored refunds that a root signed which isn't trusted any more.
///
/// They are searched for when the trusted roots differ from those of the last start at which there were none.
struct FormerRoots: Sendable {
    let verifier: StoredEvidenceVerifier

    private static let maxFound = 1000

    /// Returns the original transactions with such a refund, up to 1,000. Remembers that there are none, unless the
    /// database is open for reading only.
    func search(_ database: Database) throws -> Set<ScopedOriginal> {
        let trust = verifier.trust
        if try database.value(of: .trustedRoots) == trust.databaseValue { return [] }
        let found = try transactions(database).union(receipts(database))
        if found.isEmpty, !database.configuration.readonly { try database.set(.trustedRoots, to: trust) }
        return found
    }

    private func transactions(_ database: Database) throws -> Set<ScopedOriginal> {
        var found: Set<ScopedOriginal> = []
        let rows = try Row.fetchCursor(
            database, sql: "SELECT app, environment, \(TransactionRow.columns) FROM transactions WHERE revoked <> 0")
        while found.count < Self.maxFound, let row = try rows.next() {
            guard let scope = AppScope(row), let stored = TransactionRow(row, in: scope, from: 2),
                stored.isUntrustedRevocation(by: verifier)
            else { continue }
            found.insert(stored.original)
        }
        return found
    }

    private func receipts(_ database: Database) throws -> Set<ScopedOriginal> {
        var found: Set<ScopedOriginal> = []
        let rows = try Row.fetchCursor(
            database,
            sql: """
                SELECT \(ReceiptRow.columns), original FROM receipts CROSS JOIN (
                    SELECT receipt, MIN(original) AS original FROM receipt_originals WHERE canceled <> 0 GROUP BY receipt
                ) ON receipt = number
                """)
        while found.count < Self.maxFound, let row = try rows.next() {
            guard let scope = AppScope(row, from: 1), let original = String.fromDatabaseValue(row[5]),
                ReceiptRow(row, in: scope)?.isUntrustedRevocation(by: verifier) == true
            else { continue }
            found.insert(ScopedOriginal(scope: scope, originalTransactionIdentifier: original))
        }
        return found
    }
}
#endif
