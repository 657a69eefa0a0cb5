#if Postgres
import AppReceiptFoundation
import AppReceiptKit

// The statements that read and write rows of evidence by their keys.

extension TransactionRow {
    /// Reads the rows with the keys of some.
    static func statement(of rows: [TransactionRow]) -> PostgresStatement {
        columns(of: rows).select(
            "transactions.app, transactions.environment, transactions.original, transactions.identifier, signed, token, "
                + "revoked, ended", from: "transactions")
    }

    /// Writes rows. Of several with a key, the last one counts.
    static func insertion(of rows: [TransactionRow], receivedAt date: (TransactionRow) -> Int64) -> PostgresStatement {
        let rows = Array(Dictionary(rows.map { ($0.key, $0) }) { _, last in last }.values)
        return columns(of: rows).with("signed", .integers(rows.map(\.signed)))
            .with("received", .integers(rows.map(date))).with("revoked", .booleans(rows.map(\.isRevoked)))
            .with("ended", .integers(rows.map(\.ended))).with("token", .texts(rows.map(\.token)))
            .insert(into: "transactions", keys: 4, update: true)
    }

    private static func columns(of rows: [TransactionRow]) -> PostgresColumns {
        PostgresColumns(rows.map(\.original)).with("identifier", .texts(rows.map(\.identifier)))
    }
}

extension TokenRow {
    /// Reads the rows with the keys of some.
    static func statement(of rows: [TokenRow], table: Table) -> PostgresStatement {
        let key = ["app", "environment", "original"].map { "\(table.rawValue).\($0)" }.joined(separator: ", ")
        return PostgresColumns(rows.map(\.original)).select("\(key), signed, token", from: table.rawValue)
    }

    /// Writes rows. Of several with a key, the last one counts.
    static func insertion(
        of rows: [TokenRow], into table: Table, receivedAt date: (TokenRow) -> Int64
    ) -> PostgresStatement {
        let rows = Array(Dictionary(rows.map { ($0.key, $0) }) { _, last in last }.values)
        return PostgresColumns(rows.map(\.original)).with("signed", .integers(rows.map(\.signed)))
            .with("received", .integers(rows.map(date))).with("token", .texts(rows.map(\.token)))
            .insert(into: table.rawValue, keys: 3, update: true)
    }
}

extension NotificationRow {
    /// Reads which notifications are known; nil for none. Those of forgotten purchases have no purchase any more.
    static func statement(of rows: [NotificationRow]) -> PostgresStatement? {
        guard !rows.isEmpty else { return nil }
        let empty = rows.map { _ in "" }
        return PostgresColumns(
            apps: rows.map(\.keyApp) + empty, environments: rows.map(\.keyEnvironment) + empty,
            originals: rows.map(\.keyOriginal) + empty
        ).with("identifier", .texts(rows.map(\.identifier) + rows.map(\.identifier))).existing(in: ["notifications"])
    }

    /// Writes new rows. It fails if another server has written one since, and the transaction is tried again.
    static func insertion(of rows: [NotificationRow], receivedAt date: (NotificationRow) -> Int64) -> PostgresStatement
    {
        PostgresColumns(
            apps: rows.map(\.keyApp), environments: rows.map(\.keyEnvironment), originals: rows.map(\.keyOriginal)
        ).with("identifier", .texts(rows.map(\.identifier))).with("signed", .integers(rows.map(\.signed)))
            .with("received", .integers(rows.map(date)))
            .with("type", .texts(rows.map { row in row.type.flatMap { $0.isStorable ? $0 : nil } }))
            .with("subtype", .texts(rows.map { row in row.subtype.flatMap { $0.isStorable ? $0 : nil } }))
            .insertNew(into: "notifications", keys: 4)
    }

    private var keyApp: String { app ?? "" }
    private var keyEnvironment: String { environment?.rawValue ?? "" }
    private var keyOriginal: String { original ?? "" }
}
#endif
