#if Postgres
import AppReceiptFoundation
import AppReceiptKit

// Rows as they are exported and imported.
extension PostgreSQLStore {
    package func rows(
        of kind: StoredRow.Kind, after position: [StoredValue]?, limit: Int
    ) async throws(StoreError) -> StoredRowPage {
        try state.checkOpen()
        let source = kind.postgresSource
        let key = source.key.map(\.sql).joined(separator: ", ")
        let parameters = source.key.indices.map { "$\($0 + 2)" }.joined(separator: ", ")
        let conditions =
            [source.condition].compactMap(\.self) + (position == nil ? [] : ["(\(key)) > (\(parameters))"])
        let sql = """
            SELECT \(source.columns), \(key) FROM \(source.table)
            \(conditions.isEmpty ? "" : "WHERE \(conditions.joined(separator: " AND "))") ORDER BY \(key) LIMIT $1
            """
        let values = [.integer(Int64(limit))] + (position ?? []).map(\.postgresValue)
        let columns = kind.columns
        guard
            let rows = try await readers.read(
                [PostgresStatement(sql, values: values)], patience: PostgresSession.longPatience
            ).first
        else { throw .failed }
        return StoredRowPage(
            rows: rows.rows.map { row in
                StoredRow(kind, values: columns.enumerated().map { row.value($0.offset, of: $0.element.type) })
            },
            next: rows.count < limit
                ? nil
                : rows.rows.last.map { row in
                    source.key.enumerated().map { row.value(columns.count + $0.offset, of: $0.element.type) }
                })
    }

    package func identity() async throws(StoreError) -> StoreIdentity {
        try state.checkOpen()
        return Self.identity(try await readers.read(Self.identityStatements))
    }

    private static let identityStatements =
        [Setting.accountKey, .hashesAccounts].map {
            PostgresStatement(PostgresSettings.values, values: [.text($0.rawValue)])
        } + [PostgresStatement("SELECT value FROM counters WHERE name = 'events'")]

    private static func identity(_ results: [PostgresResult]) -> StoreIdentity {
        StoreIdentity(
            accountKey: results[0].first?.bytes(0) ?? [], hashesAccounts: results[1].count > 0,
            lastEvent: results[2].integer ?? 0)
    }

    package func prepareImport(of other: StoreIdentity) async throws(StoreError) -> ImportPreparation {
        try await write { transaction throws(StoreError) in
            let tables = StoredRow.Kind.allCases.map(\.postgresSource.table)
            let isUsed = tables.map { "EXISTS (SELECT 1 FROM \($0))" }.joined(separator: " OR ")
            let results = try transaction.run(
                Self.identityStatements + [PostgresStatement("SELECT (\(isUsed))::int")])
            let own = Self.identity(results)
            let preparation = own.preparation(
                for: other, isEmpty: own.lastEvent == 0 && results.last?.integer == 0)
            guard preparation != .otherAccounts else { return preparation }
            // Evidence of other roots may come in, which the next start looks for.
            transaction.lastStatements.append(
                PostgresStatement(
                    "DELETE FROM settings WHERE name = $1", values: [.text(Setting.trustedRoots.rawValue)]))
            guard preparation == .everything else { return preparation }
            transaction.lastStatements += [
                PostgresSettings.statement(storing: other.accountKey, as: Setting.accountKey.rawValue),
                Self.raisingLastEvent(to: other.lastEvent),
            ]
            if other.hashesAccounts {
                transaction.lastStatements.append(
                    PostgresSettings.statement(storing: [1], as: Setting.hashesAccounts.rawValue))
            }
            return preparation
        }
    }

    /// Has later events begin after a number.
    fileprivate static func raisingLastEvent(to number: Int64) -> PostgresStatement {
        PostgresStatement(
            "UPDATE counters SET value = greatest(value, $1) WHERE name = 'events'", values: [.integer(number)])
    }

    package func insert(_ rows: [StoredRow]) async throws(StoreError) -> ImportResult {
        let (verified, result) = EvidenceImport.verified(rows, by: verifier)
        let rows = EvidenceImport(
            verified, result: result, accounts: accounts, verifier: verifier, limits: limits, at: writer.now())
        return try await write(patience: PostgresSession.longPatience) { [writer] transaction throws(StoreError) in
            try writer.write(rows, in: transaction)
        }
    }

    package func removeNotifications(_ rows: [StoredRow]) async throws(StoreError) {
        let keys = PostgresColumns(
            apps: rows.map { $0.text("app") ?? "" }, environments: rows.map { $0.text("environment") ?? "" },
            originals: rows.map { $0.text("original") ?? "" }
        ).with("identifier", .texts(rows.map { $0.text("identifier") }))
        try await write(patience: PostgresSession.longPatience) { transaction throws(StoreError) in
            transaction.lastStatements.append(keys.delete(from: "notifications"))
            // Servers remember what they wrote recently.
            transaction.lastStatements.append(
                PostgresStatement("UPDATE counters SET value = value + 1 WHERE name = 'forgotten'"))
        }
    }
}

extension PostgresWriter {
    /// Imports rows.
    fileprivate func write(
        _ rows: EvidenceImport, in transaction: PostgresTransaction
    ) throws(StoreError) -> ImportResult {
        var rows = rows
        let purchases = PostgresColumns(Array(rows.originals))
        let locks = [purchases.insert(into: "purchases", keys: 3, update: false), purchases.lock("purchases")]
        let loaded = try transaction.run(locks + [StoredPurchase.statement(of: rows.originals)])
        rows.load(loaded.last?.rows.compactMap { StoredPurchase($0) } ?? [])
        var receipts = try load(&rows, in: transaction)
        let replacements = rows.receipts
        for receipt in replacements {
            let isNew = !receipt.row.originals.isEmpty && !receipts.store(receipt.row, by: verifier).added.isEmpty
            rows.count(receipt.row, isNew: isNew)
        }
        rows.run()
        let dates = Dictionary(replacements.map { ($0.row.row.digest, $0.date) }) { first, _ in first }
        let date = now()
        var statements = receipts.statements { dates[$0.digest] ?? date } + rows.postgresStatements
        if !rows.changedPurchases.isEmpty { statements.append(StoredPurchase.update(rows.changedPurchases)) }
        transaction.lastStatements += statements
        for (kind, state) in rows.stateRows.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            guard let statement = kind.insertion(of: state) else { continue }
            let count = try transaction.run([statement]).first?.integer ?? 0
            rows.count(kind, stored: Int(count), of: state.count)
            if kind == .event, let last = state.compactMap({ $0.integer("number") }).max() {
                transaction.lastStatements.append(PostgreSQLStore.raisingLastEvent(to: last))
            }
        }
        return rows.result
    }

    /// Loads what is stored with the keys of the rows.
    ///
    /// - Returns: The receipts that are stored for their purchases.
    private func load(
        _ rows: inout EvidenceImport, in transaction: PostgresTransaction
    ) throws(StoreError) -> PostgresReceipts {
        let replacements = rows.receipts.map(\.row).filter { !$0.originals.isEmpty }
        let (transactions, tombstones) = (rows.transactionRows, rows.tombstones)
        let tokens = Dictionary(grouping: rows.tokenRows, by: \.table)
        let statements: [PostgresStatement?] = [
            replacements.isEmpty ? nil : PostgresReceipts.statement(of: replacements.flatMap(\.purchases)),
            transactions.isEmpty ? nil : TransactionRow.statement(of: transactions),
            tokens[.renewals].map { TokenRow.statement(of: $0, table: .renewals) },
            tokens[.statuses].map { TokenRow.statement(of: $0, table: .statuses) },
            NotificationRow.statement(of: rows.notificationRows),
            tombstones.isEmpty ? nil : tombstones.columns.existing(in: ["tombstones"]),
            replacements.isEmpty ? nil : PostgresReceipts.contents(for: replacements),
        ]
        var found = try transaction.run(statements.compactMap(\.self))[...]
        let results = statements.map { $0 == nil ? nil : found.popFirst() }
        for row in results[1]?.rows.compactMap({ TransactionRow($0) }) ?? [] { rows.stored.transactions[row.key] = row }
        for (result, table) in [(results[2], TokenRow.Table.renewals), (results[3], .statuses)] {
            for row in result?.rows.compactMap({ TokenRow($0, of: table) }) ?? [] { rows.stored.tokens[row.key] = row }
        }
        rows.stored.notifications = Set(results[4]?.rows.compactMap { $0.text(3) } ?? [])
        let known = Set(results[5]?.rows.compactMap { $0.bytes(3) } ?? [])
        rows.knownTombstones = Set(tombstones.filter { known.contains($0.digest) })
        return PostgresReceipts(results[0], contents: results[6])
    }
}

extension EvidenceImport {
    /// The statements that store the evidence, but for receipts.
    fileprivate var postgresStatements: [PostgresStatement] {
        var statements: [PostgresStatement] = []
        if !transactions.isEmpty {
            let dates = Dictionary(transactions.map { ($0.row.key, $0.date) }) { _, last in last }
            statements.append(TransactionRow.insertion(of: transactions.map(\.row)) { dates[$0.key] ?? 0 })
        }
        let dates = Dictionary(tokens.map { ($0.row.key, $0.date) }) { _, last in last }
        for (table, rows) in Dictionary(grouping: tokens.map(\.row), by: \.table)
            .sorted(by: { $0.key.rawValue < $1.key.rawValue })
        {
            statements.append(TokenRow.insertion(of: rows, into: table) { dates[$0.key] ?? 0 })
        }
        if !notifications.isEmpty {
            let dates = Dictionary(notifications.map { ($0.row.identifier, $0.date) }) { _, last in last }
            statements.append(
                NotificationRow.insertion(of: notifications.map(\.row)) { dates[$0.identifier] ?? 0 })
        }
        if !newTombstones.isEmpty {
            statements.append(
                newTombstones.columns.with("claims", .texts(newTombstones.map(\.claims)))
                    .insert(into: "tombstones", keys: 4, update: false))
        }
        return statements
    }
}

extension EvidenceImport.Tombstone {
    fileprivate var digest: [UInt8] { Array(ContentDigest.sha256(of: claims.utf8, kind: .batch)) }
}

extension [EvidenceImport.Tombstone] {
    /// The keys of the tombstones.
    fileprivate var columns: PostgresColumns {
        PostgresColumns(map(\.original)).with("digest", .manyBytes(map(\.digest)))
    }
}

/// Where the rows of a kind come from.
private struct PostgresSource {
    let table: String
    let key: [StoredRow.Column]
    let columns: String
    /// Which rows of the table there are; nil for all.
    let condition: String?

    /// - Parameters:
    ///   - kind: The kind.
    ///   - table: The table.
    ///   - key: The names of the columns of its key.
    ///   - replaced: What is read instead of columns.
    ///   - condition: Which rows of the table there are; nil for all.
    init(
        _ kind: StoredRow.Kind, from table: String, key: String, replacing replaced: [String: String] = [:],
        condition: String? = nil
    ) {
        self.table = table
        let integers: Set = ["number", "since"]
        self.key = key.split(separator: " ").map { name in
            let type: StoredRow.Column.ValueType =
                name == "digest" ? .bytes : integers.contains(String(name)) ? .integer : .text
            return StoredRow.Column(name: String(name), type: type, isOptional: false)
        }
        columns = kind.columns.map { replaced[$0.sql] ?? $0.sql }.joined(separator: ", ")
        self.condition = condition
    }
}

extension StoredRow.Kind {
    fileprivate var postgresSource: PostgresSource {
        let purchase = "app environment original"
        return switch self {
        case .purchase:
            // Every purchase that evidence names has a row.
            PostgresSource(
                self, from: "purchases", key: purchase,
                condition: """
                    (entitlements IS DISTINCT FROM '[]' OR app_account_token IS NOT NULL OR account IS NOT NULL
                        OR due IS NOT NULL)
                    """)
        case .tombstone: PostgresSource(self, from: "tombstones", key: purchase + " digest")
        case .transaction:
            PostgresSource(
                self, from: "transactions", key: purchase + " identifier", replacing: ["revoked": "revoked::int"])
        case .renewal: PostgresSource(self, from: "renewals", key: purchase)
        case .status: PostgresSource(self, from: "statuses", key: purchase)
        case .receipt:
            PostgresSource(
                self, from: "receipts", key: purchase + " digest",
                replacing: [
                    "originals": """
                    (
                        SELECT coalesce(array_to_json(array_agg(own.original ORDER BY own.original)), '[]')::text
                        FROM receipt_originals AS own WHERE own.app = receipts.app
                        AND own.environment = receipts.environment AND own.home = receipts.original
                        AND own.digest = receipts.digest
                    )
                    """
                ])
        case .notification:
            PostgresSource(
                self, from: "notifications", key: purchase + " identifier",
                replacing: [
                    "original": "nullif(original, '')", "app": "nullif(app, '')",
                    "environment": "nullif(environment, '')",
                ])
        case .event: PostgresSource(self, from: "events", key: "number")
        case .webhook: PostgresSource(self, from: "webhook_positions", key: "webhook")
        case .delivery: PostgresSource(self, from: "webhook_deliveries", key: "number")
        case .completion: PostgresSource(self, from: "completions", key: purchase)
        case .position: PostgresSource(self, from: "catch_up_positions", key: "app environment")
        case .gap: PostgresSource(self, from: "notification_gaps", key: "app environment since")
        }
    }

    /// The statement that stores rows of the server's own state, unless their keys are taken, and counts those that it
    /// stored; nil for evidence.
    fileprivate func insertion(of rows: [StoredRow]) -> PostgresStatement? {
        guard let table = stateTable else { return nil }
        let names = columns.map(\.sql).joined(separator: ", ")
        let arrays = columns.enumerated().map { index, column in
            "$\(index + 1)::\(column.type.postgresName)[]"
        }
        // The number of a delivery is the database's.
        let isNew =
            self == .delivery
            ? "WHERE NOT EXISTS (SELECT 1 FROM \(table) AS known WHERE known.webhook = added.webhook AND known.event = added.event)"
            : ""
        return PostgresStatement(
            """
            WITH stored AS (
                INSERT INTO \(table) (\(names)) SELECT \(names)
                FROM unnest(\(arrays.joined(separator: ", "))) AS added (\(names)) \(isNew)
                ON CONFLICT DO NOTHING RETURNING 1
            )
            SELECT count(*) FROM stored
            """,
            values: columns.enumerated().map { index, column in
                let values = rows.map { $0.values[index] }
                return switch column.type {
                case .text: .texts(values.map { if case .text(let text) = $0 { text } else { nil } })
                case .integer: .integers(values.map { if case .integer(let number) = $0 { number } else { nil } })
                case .bytes: .manyBytes(values.map { if case .bytes(let bytes) = $0 { bytes } else { nil } })
                }
            })
    }
}

extension StoredRow.Column.ValueType {
    fileprivate var postgresName: String {
        switch self {
        case .text: "text"
        case .integer: "bigint"
        case .bytes: "bytea"
        }
    }
}

extension PostgresRow {
    fileprivate func value(_ column: Int, of type: StoredRow.Column.ValueType) -> StoredValue {
        switch type {
        case .text: text(column).map { .text($0) } ?? .null
        case .integer: integer(column).map { .integer($0) } ?? .null
        case .bytes: bytes(column).map { .bytes($0) } ?? .null
        }
    }
}

extension StoredValue {
    fileprivate var postgresValue: PostgresValue {
        switch self {
        case .null: .text(nil)
        case .integer(let number): .integer(number)
        case .text(let text): .text(text)
        case .bytes(let bytes): .bytes(bytes)
        }
    }
}
#endif
