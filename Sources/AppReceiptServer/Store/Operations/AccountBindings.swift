#if Server
import AppReceiptFoundation
import AppReceiptSupport
import Crypto
import GRDB

/// Binds original transactions to accounts.
///
/// The newest signed `appAccountToken` determines the account; without one, the first account that submitted the
/// purchase. An `appAccountToken` is a UUID and can only be compared with accounts that are UUIDs. For others, the
/// first account stays bound.
struct AccountBindings {
    let scope: AppScope

    /// An `appAccountToken`, and the date it was signed.
    struct SignedToken {
        let account: Account
        /// Milliseconds since 1970.
        let signed: Int64
    }

    private struct Binding: Equatable {
        /// The newest signed `appAccountToken`.
        var token: Data?
        var tokenSigned: Int64 = 0
        /// The first account that submitted the purchase.
        var account: Data?

        /// Replaces the token with a newer one. If the dates are equal, the larger token wins, so that the order of
        /// arrival has no effect.
        mutating func merge(_ signed: SignedToken) {
            let digest = signed.account.digest
            if let token {
                if tokenSigned > signed.signed { return }
                if tokenSigned == signed.signed, !token.lexicographicallyPrecedes(digest) { return }
            }
            token = digest
            tokenSigned = signed.signed
        }
    }

    /// Binds an original transaction to the account in signed data, and to the first account that submits it.
    ///
    /// - Parameters:
    ///   - originalTransactionIdentifier: The original transaction.
    ///   - token: The signed `appAccountToken`; nil for none.
    ///   - account: The account that submits the purchase; nil for notifications.
    /// - Returns: Whether the purchase belongs to an account other than the one that submits it.
    func bind(
        _ originalTransactionIdentifier: String, to account: Account?, appAccountToken token: SignedToken?,
        in database: Database
    ) throws -> Bool {
        guard token != nil || account != nil else { return false }
        let known = try binding(of: originalTransactionIdentifier, in: database) ?? Binding()
        var binding = known
        if let token { binding.merge(token) }
        let isReplay: Bool
        if let account, account.isUUID, let bound = binding.token {
            isReplay = bound != account.digest
        } else {
            isReplay = account.map { known.account ?? $0.digest != $0.digest } ?? false
        }
        if !isReplay { binding.account = known.account ?? account?.digest }
        if binding != known { try write(binding, of: originalTransactionIdentifier, in: database) }
        return isReplay
    }

    private func binding(of originalTransactionIdentifier: String, in database: Database) throws -> Binding? {
        let row = try Row.fetchOne(
            database.cachedStatement(
                sql: """
                    SELECT app_account_token, token_signed, account FROM account_bindings
                    WHERE app = ? AND environment = ? AND original = ?
                    """),
            arguments: [scope.app, scope.environment, originalTransactionIdentifier])
        return row.map {
            Binding(
                token: Data.fromDatabaseValue($0[0]), tokenSigned: Int64.fromDatabaseValue($0[1]) ?? 0,
                account: Data.fromDatabaseValue($0[2]))
        }
    }

    private func write(_ binding: Binding, of originalTransactionIdentifier: String, in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO account_bindings (app, environment, original, app_account_token, token_signed, account)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(
            arguments: [
                scope.app, scope.environment, originalTransactionIdentifier, binding.token, binding.tokenSigned,
                binding.account,
            ])
    }
}
#endif
