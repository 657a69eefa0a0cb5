#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import GRDB

// The accounts of purchases, and what was seen of a purchase.
extension SQLiteStore {
    package func purchases(of account: String) async throws(StoreError) -> [ScopedOriginal] {
        guard let account = accounts.account(account) else { return [] }
        return try await read { try Self.purchases(of: account, in: $0) }
    }

    private static func purchases(of account: Account, in database: Database) throws -> [ScopedOriginal] {
        try Row.fetchAll(
            database,
            sql: """
                SELECT app, environment, original FROM account_bindings WHERE app_account_token IN (?1, ?2)
                UNION SELECT app, environment, original FROM account_bindings
                WHERE account IN (?1, ?2) AND app_account_token IS NULL
                """,
            arguments: [account.stored, account.hash]
        ).compactMap { ScopedOriginal($0) }.sorted()
    }

    package func account(of original: ScopedOriginal) async throws(StoreError) -> String? {
        try await read { try AccountBinding(of: original, from: $0).owner }
    }

    package func bind(
        _ original: ScopedOriginal, to account: String
    ) async throws(StoreError) -> BindingOutcome {
        guard let account = accounts.account(account) else { return .unknown }
        return try await write { [writer] database in
            guard try writer.containsEvidence(of: original, in: database) else { return BindingOutcome.unknown }
            var binding = try AccountBinding(of: original, from: database)
            var changes = EvidenceChanges()
            if let token = binding.token {
                guard account.matches(token) else { return .signed }
            } else {
                if binding.account.map({ !account.matches($0) }) ?? true {
                    changes.transfer(original, because: EventCause(.request))
                }
                binding.account = account.stored
                try binding.write(of: original, in: database)
            }
            if try writer.isForgotten(original, in: database) {
                changes.submit(original, because: EventCause(.request))
            }
            try writer.recordEvents(of: changes, in: database)
            return .bound
        }
    }

    package func forget(_ account: String, in apps: Set<String>?) async throws(StoreError) -> Int {
        guard let account = accounts.account(account) else { return 0 }
        let count = try await write { [verifier, limits] database in
            let exact = apps.map { Set($0.map { ExactString($0) }) }
            let purchases = try Self.purchases(of: account, in: database).filter {
                exact?.contains(ExactString($0.scope.app)) ?? true
            }
            for (scope, purchases) in Dictionary(grouping: purchases, by: \.scope) {
                let originals = Set(purchases.map(\.originalTransactionIdentifier))
                let evidence = try EvidenceRows(of: originals, scope: scope, limits: limits, in: database)
                    .verified(by: verifier, for: originals, in: scope).evidence
                let tombstones = evidence.tombstones(
                    app: scope.app, environment: scope.environment, originals: originals)
                for purchase in purchases { try Self.delete(purchase, in: database) }
                for tombstone in tombstones {
                    try database.execute(
                        sql:
                            "INSERT OR IGNORE INTO tombstones (app, environment, original, claims) VALUES (?, ?, ?, ?)",
                        arguments: scope.arguments + [tombstone.original, tombstone.text])
                }
            }
            // Also of purchases that belong to another account now.
            try database.execute(
                sql: """
                    UPDATE events SET account = NULL WHERE account IN (?1, ?2)
                    AND (?3 IS NULL OR app IN (SELECT value FROM json_each(?3)))
                    """,
                arguments: [account.stored, account.hash, apps?.sorted().jsonArray])
            return purchases.count
        }
        forgetRecentWrites()
        return count
    }

    /// Deletes everything about a purchase. A receipt that is stored for other purchases too stays for those.
    private static func delete(_ purchase: ScopedOriginal, in database: Database) throws {
        let match = "app = ? AND environment = ? AND original = ?"
        let receipts = try Int64.fetchAll(
            database, sql: "SELECT receipt FROM receipt_originals WHERE \(match)", arguments: purchase.arguments)
        for table in [
            "transactions", "renewals", "statuses", "receipt_originals", "receipt_transactions", "account_bindings",
            "completions", "tombstones",
        ] {
            try database.execute(sql: "DELETE FROM \(table) WHERE \(match)", arguments: purchase.arguments)
        }
        try database.execute(
            sql: "INSERT OR REPLACE INTO purchase_states (app, environment, original) VALUES (?, ?, ?)",
            arguments: purchase.arguments)
        try database.execute(
            sql: "UPDATE events SET account = NULL WHERE \(match)", arguments: purchase.arguments)
        // Forwarded notifications contain evidence, so they are neither kept nor sent any more.
        let notifications = "FROM events WHERE \(match) AND type IS NULL"
        try database.execute(
            sql: "DELETE FROM webhook_deliveries WHERE event IN (SELECT number \(notifications))",
            arguments: purchase.arguments)
        try database.execute(sql: "DELETE \(notifications)", arguments: purchase.arguments)
        // The identifiers stay, so that a repetition isn't new.
        try database.execute(
            sql: "UPDATE notifications SET original = NULL, app = NULL, type = NULL WHERE \(match)",
            arguments: purchase.arguments)
        for number in receipts {
            try database.execute(
                sql: """
                    DELETE FROM receipts WHERE number = ?
                    AND NOT EXISTS (SELECT 1 FROM receipt_originals WHERE receipt = receipts.number)
                    """, arguments: [number])
            try database.execute(
                sql: "UPDATE receipts SET sole = 0 WHERE number = ? AND sole <> 0", arguments: [number])
        }
    }

    package func originals(of identifier: String) async throws(StoreError) -> [ScopedOriginal] {
        guard identifier.isStorable else { return [] }
        return try await read { database in
            try Row.fetchAll(
                database,
                sql: """
                    SELECT app, environment, original FROM transactions WHERE identifier = ?1
                    UNION SELECT app, environment, original FROM transactions WHERE original = ?1
                    UNION SELECT app, environment, original FROM receipt_originals WHERE original = ?1
                    UNION SELECT app, environment, original FROM receipt_transactions WHERE identifier = ?1
                    """,
                arguments: [identifier]
            ).compactMap { ScopedOriginal($0) }.sorted()
        }
    }

    package func sightings(of original: ScopedOriginal) async throws(StoreError) -> [EvidenceSighting] {
        try await read { database in
            let match = "app = ?1 AND environment = ?2 AND original = ?3"
            return try Row.fetchAll(
                database,
                sql: """
                    SELECT 'transaction', signed, received, NULL FROM transactions WHERE \(match)
                    UNION ALL SELECT 'renewalInfo', signed, received, NULL FROM renewals WHERE \(match)
                    UNION ALL SELECT 'notification', signed, received, type FROM notifications WHERE \(match)
                    UNION ALL SELECT 'receipt', created, received, NULL FROM receipts WHERE number IN (
                        SELECT receipt FROM receipt_originals WHERE \(match))
                    ORDER BY 2 DESC, 3 DESC, 1
                    """,
                arguments: original.arguments
            ).compactMap { EvidenceSighting($0) }
        }
    }
}

extension EvidenceSighting {
    fileprivate init?(_ row: Row) {
        guard let kind = String.fromDatabaseValue(row[0]).flatMap(Kind.init(rawValue:)),
            let signed = Int64.fromDatabaseValue(row[1]), let received = Int64.fromDatabaseValue(row[2])
        else { return nil }
        self.init(
            kind: kind, signed: signed, received: received, notificationType: String.fromDatabaseValue(row[3]))
    }
}
#endif
