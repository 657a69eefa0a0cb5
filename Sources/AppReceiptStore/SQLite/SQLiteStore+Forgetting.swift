#if Server
import AppReceiptFoundation
import AppReceiptSupport
import AppStoreSignedData
import GRDB

// Deletes what is known about an account.
extension SQLiteStore {
    /// The number of purchases that are forgotten in one commit, so that others needn't wait long.
    private static let maxPurchasesPerCommit = 500

    package func forget(
        _ account: String, in apps: Set<String>?
    ) async throws(StoreError) -> ForgottenPurchases? {
        guard let account = accounts.account(account) else { return nil }
        let exact = apps.map { Set($0.map { ExactString($0) }) }
        var remaining = try await read { try Self.purchases(of: account, in: $0) }.filter {
            exact?.contains(ExactString($0.scope.app)) ?? true
        }[...]
        var count = 0
        var event: Int64?
        while !remaining.isEmpty {
            let part = Array(remaining.prefix(Self.maxPurchasesPerCommit))
            remaining = remaining.dropFirst(part.count)
            let forgotten = try await write { [self] database in
                (count: try forget(part, of: account, in: database), event: try Self.lastEvent(in: database))
            }
            count += forgotten.count
            event = forgotten.event
        }
        // Also of purchases that belong to another account now.
        let (named, last) = try await write { database in
            let named = try ["account", "former_account"].reduce(0) { named, column in
                try database.execute(
                    sql: """
                        UPDATE events SET \(column) = NULL WHERE \(column) IN (?1, ?2)
                        AND (?3 IS NULL OR app IN (SELECT value FROM json_each(?3)))
                        """,
                    arguments: [account.stored, account.hash, apps?.sorted().jsonArray])
                return named + database.changesCount
            }
            return (named, try Self.lastEvent(in: database))
        }
        return count > 0 || named > 0 ? ForgottenPurchases(count: count, event: event ?? last) : nil
    }

    package func forget(_ purchase: ScopedOriginal) async throws(StoreError) -> ForgottenPurchases? {
        guard purchase.originalTransactionIdentifier.isStorable else { return nil }
        let forgotten = try await write { [self] database in
            ForgottenPurchases(
                count: try forget([purchase], of: nil, in: database), event: try Self.lastEvent(in: database))
        }
        return forgotten.count > 0 ? forgotten : nil
    }

    /// Forgets those of the purchases that still belong to the account.
    ///
    /// - Parameters:
    ///   - purchases: The purchases.
    ///   - account: The account; nil if their accounts have no effect. Then those about which nothing is known are left
    ///     out.
    ///   - database: The database.
    /// - Returns: Their number.
    private func forget(_ purchases: [ScopedOriginal], of account: Account?, in database: Database) throws -> Int {
        var count = 0
        for (scope, purchases) in Dictionary(grouping: purchases, by: \.scope) {
            let owned = try StoredPurchase.purchases(
                of: purchases.map(\.originalTransactionIdentifier), in: scope, from: database
            ).filter { purchase in
                try account.map { purchase.binding.isOwned(by: $0) }
                    ?? (purchase.isKnown || writer.containsEvidence(of: purchase.original, in: database))
            }
            let tombstones = try tombstones(
                of: owned.map(\.original.originalTransactionIdentifier), in: scope, from: database)
            for var purchase in owned {
                try Self.delete(purchase.original, of: account, in: database)
                purchase.state = .forgotten(at: writer.now())
                try purchase.writeState(in: database)
            }
            for tombstone in tombstones {
                try database.cachedStatement(
                    sql: "INSERT OR IGNORE INTO tombstones (app, environment, original, claims) VALUES (?, ?, ?, ?)"
                ).execute(arguments: scope.arguments + [tombstone.original, tombstone.text])
            }
            count += owned.count
        }
        if count > 0 { try database.set(.forgetCount, to: database.forgetCount() + 1) }
        return count
    }

    /// The tombstones of original transactions. Limits don't prevent that an account is forgotten, so what exceeds them
    /// is read in parts.
    private func tombstones(
        of originals: [String], in scope: AppScope, from database: Database
    ) throws -> [TransactionTombstone] {
        var tombstones: [TransactionTombstone] = []
        var parts = [originals]
        while let part = parts.popLast() {
            let requested = Set(part)
            do {
                tombstones += try EvidenceRows(of: requested, scope: scope, limits: limits, in: database)
                    .tombstones(by: verifier, for: requested, in: scope)
            } catch let error as StoreError where error == .tooMuchEvidence {
                guard part.count == 1, let original = part.first else {
                    parts += part.halves
                    continue
                }
                var known: [TransactionTombstone] = []
                try EvidenceRows.forEachPart(
                    of: ScopedOriginal(scope: scope, originalTransactionIdentifier: original), in: database
                ) { known = try $0.tombstones(by: verifier, for: requested, in: scope, adding: known) }
                tombstones += known
            }
        }
        return tombstones
    }

    /// Deletes everything about a purchase. A receipt that is stored for other purchases too stays for those.
    private static func delete(_ purchase: ScopedOriginal, of account: Account?, in database: Database) throws {
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
        // The names of its other accounts, before and after this one, are theirs.
        for column in ["account", "former_account"] {
            try database.cachedStatement(
                sql: "UPDATE events SET \(column) = NULL WHERE \(match) AND (? IS NULL OR \(column) IN (?, ?))"
            ).execute(arguments: purchase.arguments + [account?.stored, account?.stored, account?.hash])
        }
        // Forwarded notifications contain evidence, so they are neither kept nor sent any more.
        let notifications = "FROM events WHERE \(match) AND type IS NULL"
        try execute("DELETE FROM webhook_deliveries WHERE event IN (SELECT number \(notifications))")
        try execute("DELETE \(notifications)")
        // The identifiers stay, so that a repetition isn't new.
        try execute("UPDATE notifications SET original = NULL, app = NULL, type = NULL, subtype = NULL WHERE \(match)")
        for number in receipts {
            try database.deleteReceiptUnlessAssigned(number)
            try database.unmarkSoleReceipt(number)
        }
    }
}
#endif
