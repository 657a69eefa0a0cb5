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
#endif
