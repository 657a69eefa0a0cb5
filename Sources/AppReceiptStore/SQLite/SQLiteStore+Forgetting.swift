#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppStoreSignedData
import GRDB

// Deletes what is known about an account.
extension SQLiteStore {
    /// The number of purchases that are forgotten in one commit, so that others needn't wait long.
    private static let maxPurchasesPerCommit = 500

    package func forget(_ account: String, in apps: Set<String>?) async throws(StoreError) -> Int {
        guard let account = accounts.account(account) else { return 0 }
        let exact = apps.map { Set($0.map { ExactString($0) }) }
        var remaining = try await read { try Self.purchases(of: account, in: $0) }.filter {
            exact?.contains(ExactString($0.scope.app)) ?? true
        }[...]
        var count = 0
        while !remaining.isEmpty {
            let part = Array(remaining.prefix(Self.maxPurchasesPerCommit))
            remaining = remaining.dropFirst(part.count)
            count += try await write { [self] in try forget(part, of: account, in: $0) }
        }
        // Also of purchases that belong to another account now.
        try await write { database in
            for column in ["account", "former_account"] {
                try database.execute(
                    sql: """
                        UPDATE events SET \(column) = NULL WHERE \(column) IN (?1, ?2)
                        AND (?3 IS NULL OR app IN (SELECT value FROM json_each(?3)))
                        """,
                    arguments: [account.stored, account.hash, apps?.sorted().jsonArray])
            }
        }
        return count
    }

    /// Forgets those of the purchases that still belong to the account.
    ///
    /// - Returns: Their number.
    private func forget(_ purchases: [ScopedOriginal], of account: Account, in database: Database) throws -> Int {
        let owned = try purchases.filter { purchase in
            try AccountBinding(of: purchase, from: database).owner.map { account.matches($0) } ?? false
        }
        guard !owned.isEmpty else { return 0 }
        for (scope, purchases) in Dictionary(grouping: owned, by: \.scope) {
            let tombstones = try tombstones(
                of: purchases.map(\.originalTransactionIdentifier)[...], in: scope, from: database)
            for purchase in purchases { try Self.delete(purchase, at: writer.now(), in: database) }
            for tombstone in tombstones {
                try database.cachedStatement(
                    sql: "INSERT OR IGNORE INTO tombstones (app, environment, original, claims) VALUES (?, ?, ?, ?)"
                ).execute(arguments: scope.arguments + [tombstone.original, tombstone.text])
            }
        }
        try database.set(.forgetCount, to: database.forgetCount() + 1)
        return owned.count
    }

    /// The tombstones of original transactions. Limits don't prevent that an account is forgotten, so what exceeds them
    /// is read in parts.
    private func tombstones(
        of originals: ArraySlice<String>, in scope: AppScope, from database: Database
    ) throws -> [TransactionTombstone] {
        let requested = Set(originals)
        func merge(_ rows: EvidenceRows, into known: [TransactionTombstone]) throws -> [TransactionTombstone] {
            var evidence = try rows.verified(by: verifier, for: requested, in: scope).evidence
            evidence.tombstones += known
            return evidence.tombstones(app: scope.app, environment: scope.environment, originals: requested)
        }
        do {
            return try merge(EvidenceRows(of: requested, scope: scope, limits: limits, in: database), into: [])
        } catch let error as StoreError where error == .tooMuchEvidence {
            guard originals.count == 1, let original = originals.first else {
                let middle = originals.startIndex + originals.count / 2
                return try tombstones(of: originals[..<middle], in: scope, from: database)
                    + tombstones(of: originals[middle...], in: scope, from: database)
            }
            var known: [TransactionTombstone] = []
            try EvidenceRows.forEachPart(
                of: ScopedOriginal(scope: scope, originalTransactionIdentifier: original), in: database
            ) { known = try merge($0, into: known) }
            return known
        }
    }

    /// Deletes everything about a purchase. A receipt that is stored for other purchases too stays for those.
    private static func delete(_ purchase: ScopedOriginal, at date: Int64, in database: Database) throws {
        let match = "app = ? AND environment = ? AND original = ?"
        func execute(_ sql: String) throws {
            try database.cachedStatement(sql: sql).execute(arguments: purchase.arguments)
        }
        let receipts = try Int64.fetchAll(
            database.cachedStatement(sql: "SELECT receipt FROM receipt_originals WHERE \(match)"),
            arguments: purchase.arguments)
        for table in [
            "transactions", "renewals", "statuses", "receipt_originals", "receipt_transactions", "account_bindings",
            "completions", "tombstones",
        ] {
            try execute("DELETE FROM \(table) WHERE \(match)")
        }
        try database.cachedStatement(
            sql: "INSERT OR REPLACE INTO purchase_states (app, environment, original, forgotten) VALUES (?, ?, ?, ?)"
        ).execute(arguments: purchase.arguments + [date])
        try execute("UPDATE events SET account = NULL, former_account = NULL WHERE \(match)")
        // Forwarded notifications contain evidence, so they are neither kept nor sent any more.
        let notifications = "FROM events WHERE \(match) AND type IS NULL"
        try execute("DELETE FROM webhook_deliveries WHERE event IN (SELECT number \(notifications))")
        try execute("DELETE \(notifications)")
        // The identifiers stay, so that a repetition isn't new.
        try execute("UPDATE notifications SET original = NULL, app = NULL, type = NULL WHERE \(match)")
        for number in receipts {
            try database.cachedStatement(
                sql: """
                    DELETE FROM receipts WHERE number = ?
                    AND NOT EXISTS (SELECT 1 FROM receipt_originals WHERE receipt = receipts.number)
                    """
            ).execute(arguments: [number])
            try database.cachedStatement(sql: "UPDATE receipts SET sole = 0 WHERE number = ? AND sole <> 0")
                .execute(arguments: [number])
        }
    }
}
#endif
