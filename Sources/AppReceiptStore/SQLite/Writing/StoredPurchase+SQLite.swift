#if Server
import AppReceiptFoundation
import GRDB

extension StoredPurchase {
    /// Reads a purchase, which is empty if it isn't stored.
    init(_ original: ScopedOriginal, from database: Database) throws {
        let found = try Self.purchases(
            of: [original.originalTransactionIdentifier], in: original.scope, from: database)
        self = found.first ?? StoredPurchase(original: original)
    }

    /// Reads purchases, also those that aren't stored, which are empty.
    static func purchases(
        of originals: some Sequence<String>, in scope: AppScope, from database: Database
    ) throws -> [StoredPurchase] {
        let rows = try Row.fetchAll(
            database.cachedStatement(
                sql: """
                    SELECT requested.value, binding.app_account_token, binding.token_signed, binding.account,
                        state.original IS NOT NULL, state.entitlements, state.due, state.forgotten
                    FROM json_each(?1) AS requested
                    LEFT JOIN account_bindings AS binding ON binding.app = ?2 AND binding.environment = ?3
                    AND binding.original = requested.value
                    LEFT JOIN purchase_states AS state ON state.app = ?2 AND state.environment = ?3
                    AND state.original = requested.value
                    """),
            arguments: [originals.jsonArray] + scope.arguments)
        return rows.compactMap { row in
            guard let original = String.fromDatabaseValue(row[0]) else { return nil }
            var purchase = StoredPurchase(
                original: ScopedOriginal(scope: scope, originalTransactionIdentifier: original),
                binding: AccountBinding(
                    token: String.fromDatabaseValue(row[1]), tokenSigned: Int64.fromDatabaseValue(row[2]) ?? 0,
                    account: String.fromDatabaseValue(row[3])))
            if Int64.fromDatabaseValue(row[4]) == 1 {
                purchase.state = PurchaseState(
                    json: String.fromDatabaseValue(row[5]), due: Int64.fromDatabaseValue(row[6]),
                    forgotten: Int64.fromDatabaseValue(row[7]))
            }
            return purchase
        }
    }

    func writeBinding(in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO account_bindings (app, environment, original, app_account_token, token_signed, account)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: original.arguments + [binding.token, binding.tokenSigned, binding.account])
    }

    func writeState(in database: Database) throws {
        try database.cachedStatement(
            sql: """
                INSERT OR REPLACE INTO purchase_states (app, environment, original, entitlements, due, forgotten)
                VALUES (?, ?, ?, ?, ?, ?)
                """
        ).execute(arguments: original.arguments + [state.json, state.due, state.forgotten])
    }
}
#endif
