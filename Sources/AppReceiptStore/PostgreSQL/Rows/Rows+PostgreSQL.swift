#if Postgres
import AppReceiptFoundation
import AppReceiptKit

// Rows from the database, unverified; nil if an environment is unknown.

extension TransactionRow {
    static let postgresColumns = "identifier, signed, token, revoked, ended"

    /// - Parameters:
    ///   - row: The row of the query: app, environment, original and ``postgresColumns``.
    ///   - column: The first of these columns.
    init?(_ row: PostgresRow, from column: Int = 0) {
        guard let original = ScopedOriginal(row, from: column), let identifier = row.text(column + 3),
            let signed = row.integer(column + 4), let token = row.text(column + 5), let ended = row.integer(column + 7)
        else { return nil }
        self.init(
            original: original, identifier: identifier, signed: signed, token: token,
            isRevoked: row.boolean(column + 6), ended: ended)
    }
}

extension TokenRow {
    /// - Parameters:
    ///   - row: The row of the query: app, environment, original, signed and token.
    ///   - table: The table of the query.
    init?(_ row: PostgresRow, of table: Table) {
        guard let original = ScopedOriginal(row), let signed = row.integer(3), let token = row.text(4) else {
            return nil
        }
        self.init(table: table, original: original, signed: signed, token: token)
    }
}

extension ReceiptRow {
    /// - Parameter row: The row of the query: app, environment, digest, created and der.
    init?(_ row: PostgresRow) {
        guard let scope = AppScope(row), let digest = row.bytes(2), let created = row.integer(3),
            let der = row.bytes(4)
        else { return nil }
        self.init(digest: Data(digest), scope: scope, created: created, der: der)
    }
}

extension StoredPurchase {
    static let postgresColumns = """
        purchases.app, purchases.environment, purchases.original, app_account_token, token_signed, account,
        entitlements, due, forgotten
        """

    /// - Parameter row: The row of the query: ``postgresColumns``.
    init?(_ row: PostgresRow) {
        guard let original = ScopedOriginal(row) else { return nil }
        self.init(
            original: original,
            binding: AccountBinding(
                token: row.text(3), tokenSigned: row.integer(4) ?? 0, account: row.text(5)),
            state: PurchaseState(json: row.text(6), due: row.integer(7), forgotten: row.integer(8)))
    }

    /// Reads purchases, without those that aren't stored.
    static func statement(of originals: some Collection<ScopedOriginal>) -> PostgresStatement {
        PostgresColumns(Array(originals)).select(postgresColumns, from: "purchases")
    }

    /// Writes purchases, whose rows are locked.
    static func update(_ purchases: [StoredPurchase]) -> PostgresStatement {
        let columns = PostgresColumns(purchases.map(\.original))
            .with("app_account_token", .texts(purchases.map(\.binding.token)))
            .with("token_signed", .integers(purchases.map(\.binding.tokenSigned)))
            .with("account", .texts(purchases.map(\.binding.account)))
            .with("entitlements", .texts(purchases.map(\.state.json)))
            .with("due", .integers(purchases.map(\.state.due)))
            .with("forgotten", .integers(purchases.map(\.state.forgotten)))
        return columns.insert(into: "purchases", keys: 3, update: true)
    }
}

extension EntitlementEvent {
    static let postgresColumns = """
        events.number, events.type, events.date, events.app, events.environment, events.account, events.product,
        events.original, events.before, events.after, events.cause, events.notification_type, events.notification_uuid,
        events.former_account
        """

    /// - Parameters:
    ///   - row: The row of the query: ``postgresColumns``.
    ///   - column: The first of these columns.
    init?(_ row: PostgresRow, from column: Int = 0) {
        guard let number = row.integer(column),
            let type = row.text(column + 1).flatMap({ EntitlementEventType(rawValue: $0) }),
            let date = row.integer(column + 2), let scope = AppScope(row, from: column + 3),
            let kind = row.text(column + 10).flatMap({ EventCause.Kind(rawValue: $0) })
        else { return nil }
        self.init(
            cursor: number, type: type, date: date, scope: scope, account: row.text(column + 5),
            formerAccount: row.text(column + 13), productIdentifier: row.text(column + 6),
            originalTransactionIdentifier: row.text(column + 7), before: row.text(column + 8),
            after: row.text(column + 9),
            cause: EventCause(
                kind, notificationType: row.text(column + 11), notificationUUID: row.text(column + 12)))
    }
}
#endif
