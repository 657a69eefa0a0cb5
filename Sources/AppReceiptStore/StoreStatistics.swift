#if Server
/// The numbers of rows of a store.
public struct StoreStatistics: Sendable, Hashable {
    /// The number of transactions.
    public let transactions: Int
    /// The number of subscriptions with renewal information.
    public let renewals: Int
    /// The number of recorded notifications.
    public let notifications: Int
    /// The number of receipts.
    public let receipts: Int
    /// The number of original transactions with a receipt.
    public let originalTransactions: Int
    /// The number of original transactions that are bound to an account.
    public let accountBindings: Int
    /// The number of rows that were read since the start and skipped, because their data doesn't verify or differs from
    /// the other columns.
    public let skippedRows: Int
    /// The number of writes that are waiting or in progress.
    public let pendingWrites: Int
    /// The webhooks and the numbers of their deliveries.
    package let webhooks: [WebhookStatus]
}

/// What only the operator of a database asks for.
package struct StoreDetails: Sendable, Hashable {
    /// The engine and its version.
    package let engine: String
    /// The version of the tables.
    package let schemaVersion: Int
    /// The size of the database in bytes.
    package let bytes: Int64
    /// The number of subscriptions with a notification that states their status.
    package let statuses: Int
    /// The number of tombstones of forgotten purchases.
    package let tombstones: Int
    /// The number of accounts that own purchases.
    package let accounts: Int
    /// The number of events.
    package let events: Int
    /// The dates when Apple signed the oldest and the newest transaction or receipt; nil without any.
    package let signed: ClosedRange<Int64>?

    /// - Parameters:
    ///   - engine: The engine and its version.
    ///   - schemaVersion: The version of the tables.
    ///   - bytes: The size in bytes.
    ///   - counts: The results of ``counts(bindings:)``.
    init(engine: String, schemaVersion: Int, bytes: Int64, counts: [Int64?]) {
        self.engine = engine
        self.schemaVersion = schemaVersion
        self.bytes = bytes
        statuses = Int(counts[0] ?? 0)
        tombstones = Int(counts[1] ?? 0)
        accounts = Int(counts[2] ?? 0)
        events = Int(counts[3] ?? 0)
        signed = if let oldest = counts[4], let newest = counts[5], oldest <= newest { oldest...newest } else { nil }
    }

    /// The statements that count, for every engine.
    ///
    /// - Parameter bindings: The table of accounts.
    static func counts(bindings: String) -> [String] {
        let dates = "(SELECT signed FROM transactions UNION ALL SELECT created FROM receipts) AS dates"
        return [
            "SELECT COUNT(*) FROM statuses", "SELECT COUNT(*) FROM tombstones",
            "SELECT COUNT(DISTINCT COALESCE(app_account_token, account)) FROM \(bindings)",
            "SELECT COUNT(*) FROM events WHERE type IS NOT NULL",
            "SELECT MIN(signed) FROM \(dates)", "SELECT MAX(signed) FROM \(dates)",
        ]
    }
}
#endif
