#if Server
import AppReceiptFoundation
import AppReceiptKit
import GRDB

// Rows as they are exported and imported.
extension SQLiteStore {
    package func rows(
        of kind: StoredRow.Kind, after position: [StoredValue]?, limit: Int
    ) async throws(StoreError) -> StoredRowPage {
        let source = kind.sqliteSource
        let columns = kind.columns.count
        let key = source.key.joined(separator: ", ")
        let parameters = source.key.indices.map { "?\($0 + 1)" }.joined(separator: ", ")
        let condition = position == nil ? "" : "WHERE (\(key)) > (\(parameters))"
        let sql = """
            SELECT \(source.columns), \(key) FROM \(source.table(condition, "?\(source.key.count + 1)"))
            ORDER BY \(key) LIMIT ?\(source.key.count + 1)
            """
        // A parameter that isn't in the first page's statement has a value too.
        let values = position ?? source.key.map { _ in .null }
        return try await read { database in
            let rows = try Row.fetchAll(
                database.cachedStatement(sql: sql),
                arguments: StatementArguments(values.map(\.databaseValue) + [Int64(limit).databaseValue]))
            return StoredRowPage(
                rows: rows.map { row in
                    StoredRow(kind, values: (0..<columns).map { StoredValue(row[$0] as DatabaseValue) })
                },
                next: rows.count < limit
                    ? nil
                    : rows.last.map { row in
                        source.key.indices.map { StoredValue(row[columns + $0] as DatabaseValue) }
                    })
        }
    }

    package func identity() async throws(StoreError) -> StoreIdentity {
        try await read { try Self.identity(in: $0) }
    }

    private static func identity(in database: Database) throws -> StoreIdentity {
        let key = try database.value(of: .accountKey).flatMap { Data.fromDatabaseValue($0) } ?? Data()
        return StoreIdentity(
            accountKey: Array(key), hashesAccounts: try database.value(of: .hashesAccounts) != nil,
            lastEvent: try lastEvent(in: database))
    }

    package func prepareImport(of other: StoreIdentity) async throws(StoreError) -> ImportPreparation {
        try await write { database in
            let own = try Self.identity(in: database)
            let tables =
                StoredRow.Kind.allCases.compactMap(\.stateTable) + [
                    "transactions", "renewals", "statuses", "receipts", "notifications", "tombstones",
                    "account_bindings",
                    "purchase_states",
                ]
            let isEmpty =
                try own.lastEvent == 0
                && tables.allSatisfy {
                    try Row.fetchOne(database, sql: "SELECT 1 FROM \($0) LIMIT 1") == nil
                }
            let preparation = own.preparation(for: other, isEmpty: isEmpty)
            guard preparation != .otherAccounts else { return preparation }
            // Evidence of other roots may come in, which the next start looks for.
            try database.execute(
                sql: "DELETE FROM settings WHERE name = ?", arguments: [Setting.trustedRoots.rawValue])
            guard preparation == .everything else { return preparation }
            try database.set(.accountKey, to: Data(other.accountKey))
            if other.hashesAccounts { try database.set(.hashesAccounts, to: Data([1])) }
            try Self.raiseLastEvent(to: other.lastEvent, in: database)
            return preparation
        }
    }

    /// Has later events begin after a number.
    private static func raiseLastEvent(to number: Int64, in database: Database) throws {
        guard try lastEvent(in: database) < number else { return }
        try database.execute(sql: "DELETE FROM sqlite_sequence WHERE name = 'events'")
        try database.execute(sql: "INSERT INTO sqlite_sequence (name, seq) VALUES ('events', ?)", arguments: [number])
    }

    package func insert(_ rows: [StoredRow]) async throws(StoreError) -> ImportResult {
        let (verified, result) = EvidenceImport.verified(rows, by: verifier)
        let rows = EvidenceImport(
            verified, result: result, accounts: accounts, verifier: verifier, limits: limits, at: writer.now())
        return try await write { [writer] in try writer.write(rows, in: $0) }
    }

    package func removeNotifications(_ rows: [StoredRow]) async throws(StoreError) {
        let identifiers = rows.compactMap { $0.text("identifier") }.jsonArray
        try await write { database in
            try database.execute(
                sql: "DELETE FROM notifications WHERE identifier IN (SELECT value FROM json_each(?))",
                arguments: [identifiers])
            // Servers remember what they wrote recently.
            if database.changesCount > 0 { try database.set(.forgetCount, to: database.forgetCount() + 1) }
        }
    }
}

extension SQLiteWriter {
    /// Imports rows.
    fileprivate func write(_ rows: EvidenceImport, in database: Database) throws -> ImportResult {
        var rows = rows
        var purchases: [StoredPurchase] = []
        for (scope, originals) in Dictionary(grouping: rows.originals, by: \.scope) {
            purchases += try StoredPurchase.purchases(
                of: originals.map(\.originalTransactionIdentifier), in: scope, from: database)
        }
        rows.load(purchases)
        for receipt in rows.receipts {
            let isNew =
                try !receipt.row.originals.isEmpty && store(receipt.row, receivedAt: receipt.date, in: database)
            rows.count(receipt.row, isNew: isNew)
        }
        for row in rows.transactionRows { rows.stored.transactions[row.key] = try known(row, in: database) }
        for row in rows.tokenRows { rows.stored.tokens[row.key] = try known(row, in: database) }
        for row in rows.notificationRows where try isKnown(row, in: database) {
            rows.stored.notifications.insert(row.identifier)
        }
        for tombstone in rows.tombstones where try isKnown(tombstone, in: database) {
            rows.knownTombstones.insert(tombstone)
        }
        rows.run()
        for row in rows.transactions { try store(row.row, receivedAt: row.date, in: database) }
        for row in rows.tokens { try store(row.row, receivedAt: row.date, in: database) }
        for row in rows.notifications { try store(row.row, receivedAt: row.date, in: database) }
        for tombstone in rows.newTombstones { try store(tombstone, in: database) }
        for purchase in rows.changedPurchases {
            try purchase.writeBinding(in: database)
            try purchase.writeState(in: database)
        }
        for (kind, state) in rows.stateRows {
            rows.count(kind, stored: try store(state, of: kind, in: database), of: state.count)
        }
        return rows.result
    }

    private func isKnown(_ tombstone: EvidenceImport.Tombstone, in database: Database) throws -> Bool {
        try Row.fetchOne(
            database.cachedStatement(
                sql: "SELECT 1 FROM tombstones WHERE app = ? AND environment = ? AND original = ? AND claims = ?"),
            arguments: tombstone.original.arguments + [tombstone.claims]) != nil
    }

    private func store(_ tombstone: EvidenceImport.Tombstone, in database: Database) throws {
        try database.cachedStatement(
            sql: "INSERT INTO tombstones (app, environment, original, claims) VALUES (?, ?, ?, ?)"
        ).execute(arguments: tombstone.original.arguments + [tombstone.claims])
        try unmarkSoleReceipt(of: tombstone.original, in: database)
    }

    /// Stores rows of the server's own state, unless their keys are taken.
    ///
    /// - Returns: The number of rows that were stored.
    private func store(_ rows: [StoredRow], of kind: StoredRow.Kind, in database: Database) throws -> Int {
        guard let table = kind.stateTable else { return 0 }
        let columns = kind.columns.map(\.sql)
        let values = columns.indices.map { "?\($0 + 1)" }
        // The number of a delivery is the engine's.
        let isNew =
            kind == .delivery
            ? "WHERE NOT EXISTS (SELECT 1 FROM \(table) WHERE webhook = \(values[0]) AND event = \(values[2]))"
            : ""
        let statement = try database.cachedStatement(
            sql: """
                INSERT OR IGNORE INTO \(table) (\(columns.joined(separator: ", ")))
                SELECT \(values.joined(separator: ", ")) \(isNew)
                """)
        return try rows.reduce(0) { count, row in
            try statement.execute(arguments: StatementArguments(row.values.map(\.databaseValue)))
            return count + database.changesCount
        }
    }
}

/// Where the rows of a kind come from.
private struct SQLiteSource: Sendable {
    /// The tables, with a condition on the key and a limit.
    let table: @Sendable (_ condition: String, _ limit: String) -> String
    let key: [String]
    let columns: String

    init(
        _ kind: StoredRow.Kind, key: [String], replacing replaced: [String: String] = [:],
        table: @escaping @Sendable (String, String) -> String
    ) {
        self.table = table
        self.key = key
        columns = kind.columns.map { replaced[$0.sql] ?? $0.sql }.joined(separator: ", ")
    }
}

extension StoredRow.Kind {
    fileprivate var sqliteSource: SQLiteSource {
        let purchase = ["original", "app", "environment"]
        func source(_ table: String, key: [String], replacing replaced: [String: String] = [:]) -> SQLiteSource {
            SQLiteSource(self, key: key, replacing: replaced) { condition, _ in "\(table) \(condition)" }
        }
        switch self {
        case .purchase:
            let key = purchase.joined(separator: ", ")
            return SQLiteSource(
                self, key: purchase,
                replacing: [
                    "token_signed": "IFNULL(token_signed, 0)",
                    "entitlements": "CASE WHEN state.original IS NULL THEN '[]' ELSE entitlements END",
                ]
            ) { condition, limit in
                // Limited here too, so that a page doesn't read the rest.
                """
                (
                    SELECT \(key) FROM account_bindings \(condition)
                    UNION SELECT \(key) FROM purchase_states \(condition) ORDER BY \(key) LIMIT \(limit)
                ) LEFT JOIN account_bindings USING (\(key)) LEFT JOIN purchase_states AS state USING (\(key))
                """
            }
        case .tombstone: return source("tombstones", key: purchase + ["claims"])
        case .transaction: return source("transactions", key: ["identifier", "app", "environment"])
        case .renewal: return source("renewals", key: purchase)
        case .status: return source("statuses", key: purchase)
        case .receipt:
            let originals =
                "(SELECT json_group_array(original) FROM receipt_originals WHERE receipt = receipts.number)"
            return source("receipts", key: ["number"], replacing: ["originals": originals])
        case .notification: return source("notifications", key: ["identifier"])
        case .event: return source("events", key: ["number"])
        case .webhook: return source("webhook_positions", key: ["webhook"])
        case .delivery: return source("webhook_deliveries", key: ["number"])
        case .completion: return source("completions", key: ["app", "environment", "original"])
        case .position: return source("catch_up_positions", key: ["app", "environment"])
        case .gap: return source("notification_gaps", key: ["app", "environment", "since"])
        }
    }
}

extension StoredValue {
    fileprivate init(_ value: DatabaseValue) {
        switch value.storage {
        case .int64(let number): self = .integer(number)
        case .string(let text): self = .text(text)
        case .blob(let data): self = .bytes(Array(data))
        case .null, .double: self = .null
        }
    }

    fileprivate var databaseValue: DatabaseValue {
        switch self {
        case .null: .null
        case .integer(let number): number.databaseValue
        case .text(let text): text.databaseValue
        case .bytes(let bytes): Data(bytes).databaseValue
        }
    }
}
#endif
