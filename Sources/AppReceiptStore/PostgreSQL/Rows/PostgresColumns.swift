#if Postgres
import AppReceiptKit

/// The rows of a table that statements refer to: arrays of their keys and other columns, for `unnest`.
///
/// Every write is in the order of the keys, so that servers that write the same rows wait for each other instead of
/// forming deadlocks.
struct PostgresColumns {
    /// The names of the columns. The first three are app, environment and original transaction.
    private(set) var names = ["app", "environment", "original"]
    private(set) var values: [PostgresValue]
    /// Whether there are no rows.
    let isEmpty: Bool

    /// - Parameter originals: The app, environment and original transaction of each row.
    init(_ originals: [ScopedOriginal]) {
        self.init(
            apps: originals.map(\.scope.app), environments: originals.map(\.scope.environment.rawValue),
            originals: originals.map(\.originalTransactionIdentifier))
    }

    init(apps: [String], environments: [String], originals: [String]) {
        values = [.texts(apps), .texts(environments), .texts(originals)]
        isEmpty = originals.isEmpty
    }

    /// Adds a column.
    func with(_ name: String, _ column: PostgresValue) -> PostgresColumns {
        var columns = self
        columns.names.append(name)
        columns.values.append(column)
        return columns
    }

    /// The rows as a table `keys`, of which the first parameter is that of the first column.
    private var source: String {
        let parameters = values.enumerated().map { "$\($0.offset + 1)\(Self.cast($0.element))" }
        return "unnest(\(parameters.joined(separator: ", "))) AS keys (\(names.joined(separator: ", ")))"
    }

    private static func cast(_ value: PostgresValue) -> String {
        switch value {
        case .texts: "::text[]"
        case .integers: "::bigint[]"
        case .booleans: "::boolean[]"
        case .manyBytes: "::bytea[]"
        case .text, .integer, .boolean, .bytes: ""
        }
    }

    /// Whether a table's row has the columns of a row here.
    private func match(_ table: String) -> String {
        names.map { "\(table).\($0) = keys.\($0)" }.joined(separator: " AND ")
    }

    /// Reads the rows of a table with these keys.
    func select(_ columns: String, from table: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT \(columns) FROM \(source) JOIN \(table) ON \(match(table))", values: values)
    }

    /// Selects the keys of which one of the tables has a row.
    func existing(in tables: [String]) -> PostgresStatement {
        let conditions = tables.map { "EXISTS (SELECT 1 FROM \($0) WHERE \(match($0)))" }
        return PostgresStatement(
            "SELECT keys.* FROM \(source) WHERE \(conditions.joined(separator: " OR "))", values: values)
    }

    /// Locks the rows of a table with these keys, in their order.
    func lock(_ table: String) -> PostgresStatement {
        PostgresStatement(
            "SELECT 1 FROM \(source) JOIN \(table) ON \(match(table)) \(order(table, keys: names.count)) FOR UPDATE OF \(table)",
            values: values)
    }

    /// Inserts the rows into a table, in their order.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - keys: The number of columns that are its key.
    ///   - update: Whether a row with the key is replaced. Otherwise, it stays.
    func insert(into table: String, keys: Int, update: Bool) -> PostgresStatement {
        let key = names.prefix(keys).joined(separator: ", ")
        let others = names.dropFirst(keys).map { "\($0) = EXCLUDED.\($0)" }.joined(separator: ", ")
        return PostgresStatement(
            "\(insertion(into: table, keys: keys)) ON CONFLICT (\(key)) DO "
                + (update ? "UPDATE SET \(others)" : "NOTHING"), values: values)
    }

    /// Inserts the rows into a table that has none of the keys. Otherwise, the statement fails.
    func insertNew(into table: String, keys: Int) -> PostgresStatement {
        PostgresStatement(insertion(into: table, keys: keys), values: values)
    }

    private func insertion(into table: String, keys: Int) -> String {
        "INSERT INTO \(table) (\(names.joined(separator: ", "))) SELECT keys.* FROM \(source) \(order("keys", keys: keys))"
    }

    /// Deletes the rows of a table with these keys, which are locked, or whose purchases are.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - condition: A further condition on the table's rows.
    func delete(from table: String, where condition: String = "true") -> PostgresStatement {
        PostgresStatement(
            "DELETE FROM \(table) USING \(source) WHERE \(match(table)) AND \(condition)", values: values)
    }

    /// Deletes the rows of a table with these keys, which are locked, or whose purchases are, and uses them.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - condition: A further condition on the table's rows.
    ///   - statement: A statement that uses the table `deleted`.
    ///   - columns: The columns of that table.
    func delete(
        from table: String, where condition: String = "true", then statement: String, returning columns: [String]
    ) -> PostgresStatement {
        PostgresStatement(
            """
            WITH deleted AS (
                DELETE FROM \(table) USING \(source) WHERE \(match(table)) AND \(condition)
                RETURNING \(columns.map { "\(table).\($0)" }.joined(separator: ", "))
            )
            \(statement)
            """, values: values)
    }

    /// Updates the rows of a table with these keys.
    ///
    /// - Parameters:
    ///   - table: The table.
    ///   - assignment: What changes.
    ///   - condition: A further condition on the table's rows.
    ///   - others: The values of further parameters.
    func update(
        _ table: String, set assignment: String, where condition: String, values others: [PostgresValue]
    ) -> PostgresStatement {
        PostgresStatement(
            "UPDATE \(table) SET \(assignment) FROM \(source) WHERE \(match(table)) AND \(condition)",
            values: values + others)
    }

    /// The order of the keys, which are texts and digests.
    private func order(_ table: String, keys: Int) -> String {
        let columns = names.prefix(keys).map { "\(table).\($0)\($0 == "digest" ? "" : " COLLATE \"C\"")" }
        return "ORDER BY \(columns.joined(separator: ", "))"
    }
}

extension AppScope {
    /// Creates the scope from two columns; nil for an unknown environment.
    init?(_ row: PostgresRow, from column: Int = 0) {
        guard let app = row.text(column), let environment = row.text(column + 1) else { return nil }
        self.init(app: app, AppStoreEnvironment(rawValue: environment))
    }

    /// The values of the columns `app` and `environment`.
    var postgresValues: [PostgresValue] { [.text(app), .text(environment.rawValue)] }
}

extension ScopedOriginal {
    /// Creates the original transaction from three columns: app, environment and original.
    init?(_ row: PostgresRow, from column: Int = 0) {
        guard let scope = AppScope(row, from: column), let original = row.text(column + 2) else { return nil }
        self.init(scope: scope, originalTransactionIdentifier: original)
    }

    /// The values of the columns `app`, `environment` and `original`.
    var postgresValues: [PostgresValue] { scope.postgresValues + [.text(originalTransactionIdentifier)] }
}
#endif
