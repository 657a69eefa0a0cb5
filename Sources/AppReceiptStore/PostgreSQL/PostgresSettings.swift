#if Postgres
import AppReceiptFoundation

/// The values that the store itself needs.
enum PostgresSettings {
    /// Reads the value of a setting.
    static let values = "SELECT value FROM settings WHERE name = $1"

    /// The value of a setting; nil if it was never set.
    static func value(of setting: Setting, in session: PostgresSession) throws(StoreError) -> Data? {
        let statement = PostgresStatement(values, values: [.text(setting.rawValue)])
        return try session.read([statement]).first?.first?.bytes(0).map { Data($0) }
    }

    /// Stores a value.
    static func statement(storing value: some Sequence<UInt8>, as name: String) -> PostgresStatement {
        PostgresStatement(
            "INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value",
            values: [.text(name), .bytes(Array(value))])
    }

    /// The accounts of the database. Names and hashes of one account would be two owners, so they are never mixed.
    static func accounts(areHashed: Bool, in session: PostgresSession) throws(StoreError) -> Accounts {
        // Of servers that start at once, the first one creates the key.
        let candidate = PostgresStatement(
            "INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO NOTHING",
            values: [.text(Setting.accountKey.rawValue), .bytes(Array(Accounts.newKey))])
        var key = try value(of: .accountKey, in: session)
        if key == nil {
            try session.write { transaction throws(StoreError) in _ = try transaction.run([candidate]) }
            key = try value(of: .accountKey, in: session)
        }
        let isHashed = try value(of: .hashesAccounts, in: session) != nil
        let accounts = try Accounts(key: key ?? Data(), areHashed: areHashed || isHashed)
        if areHashed { try hash(accounts, isHashed: isHashed, in: session) }
        return accounts
    }

    /// Replaces the names of accounts by their hashes.
    private static func hash(_ accounts: Accounts, isHashed: Bool, in session: PostgresSession) throws(StoreError) {
        try session.write(patience: PostgresSession.longPatience) { transaction throws(StoreError) in
            // Other servers don't write names meanwhile.
            _ = try transaction.run("LOCK TABLE purchases, events IN SHARE ROW EXCLUSIVE MODE")
            for (table, column) in [
                ("purchases", "app_account_token"), ("purchases", "account"), ("events", "account"),
                ("events", "former_account"),
            ] {
                let names = try transaction.run(
                    "SELECT DISTINCT \(column) FROM \(table) WHERE \(column) IS NOT NULL"
                ).rows.compactMap { $0.text(0) }
                let hashes = names.map { accounts.hash(ofStored: $0) }
                _ = try transaction.run(
                    """
                    UPDATE \(table) SET \(column) = hashed.hash FROM unnest($1::text[], $2::text[]) AS hashed (name, hash)
                    WHERE \(column) = hashed.name AND hashed.name <> hashed.hash
                    """, values: [.texts(names), .texts(hashes)])
            }
            if !isHashed {
                transaction.lastStatements.append(statement(storing: [1], as: Setting.hashesAccounts.rawValue))
            }
        }
    }
}

/// Finds the stored refunds that a root signed which isn't trusted any more, if the trusted roots differ from those of
/// the last start at which there were none.
struct PostgresFormerRoots {
    let verifier: StoredEvidenceVerifier

    private static let maxFound = 1000
    private static let pageSize = 200

    /// Returns the original transactions with such a refund, up to 1,000.
    ///
    /// - Parameters:
    ///   - session: The session.
    ///   - remembersNone: Whether it is stored that there are none.
    func search(_ session: PostgresSession, remembersNone: Bool) throws(StoreError) -> Set<ScopedOriginal> {
        let trust = verifier.trust
        if try PostgresSettings.value(of: .trustedRoots, in: session) == trust { return [] }
        var found = try pages(
            "identifier", of: "transactions", columns: TransactionRow.postgresColumns, where: "revoked", in: session
        ) { row in
            let stored = TransactionRow(row)
            return stored?.isUntrustedRevocation(by: verifier) == true ? stored?.original : nil
        }
        found.formUnion(
            try pages(
                "digest", of: "receipt_originals", columns: "digest, created, der", where: "canceled", in: session
            ) { row in
                guard let original = ScopedOriginal(row), let digest = row.bytes(3), let created = row.integer(4),
                    let der = row.bytes(5)
                else { return nil }
                let receipt = ReceiptRow(digest: Data(digest), scope: original.scope, created: created, der: der)
                return receipt.isUntrustedRevocation(by: verifier) ? original : nil
            })
        if found.isEmpty, remembersNone {
            try session.write { transaction throws(StoreError) in
                _ = try transaction.run([
                    PostgresSettings.statement(storing: trust, as: Setting.trustedRoots.rawValue)
                ])
            }
        }
        return found
    }

    /// Reads a table in pages, and collects what `find` finds in its rows.
    private func pages(
        _ key: String, of table: String, columns: String, where condition: String, in session: PostgresSession,
        find: (PostgresRow) -> ScopedOriginal?
    ) throws(StoreError) -> Set<ScopedOriginal> {
        let contents =
            table == "transactions"
            ? ""
            : """
             CROSS JOIN LATERAL (SELECT der FROM receipts WHERE receipts.app = \(table).app
             AND receipts.environment = \(table).environment AND receipts.original = home
             AND receipts.digest = \(table).digest) AS contents
            """
        var found: Set<ScopedOriginal> = []
        var last: [PostgresValue] = [.text(""), .text(""), .text(""), key == "digest" ? .bytes([]) : .text("")]
        while found.count < Self.maxFound {
            let page = try session.read(
                [
                    PostgresStatement(
                        """
                        SELECT app, environment, original, \(columns) FROM \(table)\(contents)
                        WHERE \(condition) AND (app, environment, original, \(key)) > ($1, $2, $3, $4)
                        ORDER BY app, environment, original, \(key) LIMIT \(Self.pageSize)
                        """, values: last)
                ], patience: PostgresSession.longPatience
            ).first
            for row in page?.rows ?? [] {
                if let original = find(row) { found.insert(original) }
                last = (0..<3).map { .text(row.text($0)) }
                last.append(key == "digest" ? .bytes(row.bytes(3)) : .text(row.text(3)))
            }
            if page?.count != Self.pageSize { break }
        }
        return found
    }
}
#endif
