#if Server
import AppReceiptFoundation
import GRDB

extension AccountBinding {
    /// Reads the binding of an original transaction.
    init(of original: ScopedOriginal, from database: Database) throws {
        self.init()
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT app_account_token, token_signed, account FROM account_bindings
                    WHERE app = ? AND environment = ? AND original = ?
                    """),
            arguments: original.arguments)
        guard let row else { return }
        token = String.fromDatabaseValue(row[0])
        tokenSigned = Int64.fromDatabaseValue(row[1]) ?? 0
        account = String.fromDatabaseValue(row[2])
    }

    /// Writes the binding of an original transaction.
    func write(of original: ScopedOriginal, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO account_bindings (app, environment, original, app_account_token, token_signed, account)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: original.arguments + [token, tokenSigned, account])
    }
}
#endif
