#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import GRDB

// Rows from the database, unverified; nil if columns have the wrong types.

extension AppScope {
    /// Creates the scope from two columns.
    ///
    /// - Parameters:
    ///   - row: The row of the query.
    ///   - column: The column of the app, before that of the environment.
    init?(_ row: Row, from column: Int = 0) {
        guard let app = String.fromDatabaseValue(row[column]),
            let environment = String.fromDatabaseValue(row[column + 1])
        else { return nil }
        self.init(app: app, AppStoreEnvironment(rawValue: environment))
    }

    /// The values of the columns `app` and `environment`.
    var arguments: StatementArguments { [app, environment.rawValue] }
}

extension ScopedOriginal {
    /// Creates the original transaction from three columns: app, environment and original.
    init?(_ row: Row) {
        guard let scope = AppScope(row), let original = String.fromDatabaseValue(row[2]) else { return nil }
        self.init(scope: scope, originalTransactionIdentifier: original)
    }

    /// The values of the columns `app`, `environment` and `original`.
    var arguments: StatementArguments { scope.arguments + [originalTransactionIdentifier] }
}

extension TransactionRow {
    static let columns = "identifier, original, signed, token, revoked, ended"

    /// - Parameters:
    ///   - row: The row of the query.
    ///   - scope: The app and environment.
    ///   - column: The first column of the transaction.
    init?(_ row: Row, in scope: AppScope, from column: Int = 0) {
        guard let identifier = String.fromDatabaseValue(row[column]),
            let original = String.fromDatabaseValue(row[column + 1]),
            let signed = Int64.fromDatabaseValue(row[column + 2]),
            let token = String.fromDatabaseValue(row[column + 3]),
            let revoked = Int64.fromDatabaseValue(row[column + 4]), let ended = Int64.fromDatabaseValue(row[column + 5])
        else { return nil }
        self.init(
            original: ScopedOriginal(scope: scope, originalTransactionIdentifier: original), identifier: identifier,
            signed: signed, token: token, isRevoked: revoked != 0, ended: ended)
    }
}

extension TokenRow {
    static let columns = "original, signed, token"

    /// - Parameters:
    ///   - row: The row of the query.
    ///   - table: The table of the query.
    ///   - scope: The app and environment.
    init?(_ row: Row, of table: Table, in scope: AppScope) {
        guard let original = String.fromDatabaseValue(row[0]), let signed = Int64.fromDatabaseValue(row[1]),
            let token = String.fromDatabaseValue(row[2])
        else { return nil }
        self.init(
            table: table, original: ScopedOriginal(scope: scope, originalTransactionIdentifier: original),
            signed: signed, token: token)
    }
}

extension ReceiptRow {
    static let columns = "digest, app, environment, created, der"

    /// Creates the row; nil also if it is of another app.
    ///
    /// - Parameters:
    ///   - row: The row of the query.
    ///   - scope: The expected app and environment.
    ///   - column: The first column of the receipt.
    init?(_ row: Row, in scope: AppScope, from column: Int = 0) {
        guard let digest = Data.fromDatabaseValue(row[column]), AppScope(row, from: column + 1) == scope,
            let created = Int64.fromDatabaseValue(row[column + 3]), let der = Data.fromDatabaseValue(row[column + 4])
        else { return nil }
        self.init(digest: digest, scope: scope, created: created, der: Array(der))
    }

    /// Reads a receipt by its number.
    init?(number: Int64, in scope: AppScope, from database: Database) throws {
        let row = try Row.fetchOne(
            database.cachedStatement(sql: "SELECT \(Self.columns) FROM receipts WHERE number = ?"),
            arguments: [number])
        guard let row else { return nil }
        self.init(row, in: scope)
    }
}

extension Sequence<String> {
    /// A JSON array, which passes any number of values to one statement.
    var jsonArray: String { AppStoreJSON.array(map { .string($0) }).jsonText }
}
#endif
