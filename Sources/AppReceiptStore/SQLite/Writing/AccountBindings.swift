#if Server
import AppReceiptFoundation
import GRDB

/// The stored bindings of original transactions to accounts.
struct AccountBindings {
    let scope: AppScope

    /// Binds an original transaction to the account in signed data, and to the first account that submits it.
    ///
    /// - Parameters:
    ///   - original: The original transaction.
    ///   - account: The account that submits the purchase; nil for notifications.
    ///   - token: The signed `appAccountToken`; nil for none.
    ///   - database: The database.
    /// - Returns: Whether the purchase belongs to an account other than the one that submits it.
    func bind(
        _ original: String, to account: Account?, appAccountToken token: AccountBinding.SignedToken? = nil,
        in database: Database
    ) throws -> Bool {
        guard token != nil || account != nil else { return false }
        let known = try binding(of: original, in: database)
        var binding = known
        let isReplay = binding.bind(to: account, appAccountToken: token)
        if binding != known { try write(binding, of: original, in: database) }
        return isReplay
    }

    private func binding(of original: String, in database: Database) throws -> AccountBinding {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT app_account_token, token_signed, account FROM account_bindings
                    WHERE app = ? AND environment = ? AND original = ?
                    """),
            arguments: scope.arguments + [original])
        guard let row else { return AccountBinding() }
        return AccountBinding(
            token: Data.fromDatabaseValue(row[0]), tokenSigned: Int64.fromDatabaseValue(row[1]) ?? 0,
            account: Data.fromDatabaseValue(row[2]))
    }

    private func write(_ binding: AccountBinding, of original: String, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO account_bindings (app, environment, original, app_account_token, token_signed, account)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: scope.arguments + [original, binding.token, binding.tokenSigned, binding.account])
    }
}
#endif
