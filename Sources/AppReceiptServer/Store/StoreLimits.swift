#if Server
/// How much the store takes on at a time, and keeps in memory.
public struct StoreLimits: Sendable, Hashable {
    /// Writes that wait or are being made; the next one is refused as ``StoreError/busy``. Default: 1,024.
    public var pendingWrites: Int
    /// Writes that become durable together. Default: 256.
    public var writesPerCommit: Int
    /// The maximum number of transactions read for one original transaction: revocations first, then those signed last. If the
    /// revocations alone exceed it, the store throws ``StoreError/tooMuchEvidence``. Default: 1,000.
    public var maxTransactionsPerOriginal: Int
    /// The maximum number of transactions read for one receipt. If more are needed, the store throws
    /// ``StoreError/tooMuchEvidence``. Default: 20,000.
    public var maxTransactionsPerReceipt: Int
    /// The maximum number of stored receipts read for one receipt. If more are needed, the store throws
    /// ``StoreError/tooMuchEvidence``. Default: 256.
    public var maxReceiptsPerReceipt: Int
    /// The bytes of a receipt; larger ones are not kept. Default: 1 MiB, about 2,500 purchases.
    public var receiptBytes: Int
    /// The bytes of tokens and receipts whose verified values are kept in memory; what is made of them takes several times
    /// as much. Default: 8 MiB, about 1,500 tokens.
    public var cachedBytes: Int
    /// Writes that are remembered, so that the same again costs nothing. Default: 16,384.
    public var rememberedWrites: Int

    /// The defaults, to be changed one by one.
    public init() {
        pendingWrites = 1024
        writesPerCommit = 256
        maxTransactionsPerOriginal = 1000
        maxTransactionsPerReceipt = 20_000
        maxReceiptsPerReceipt = 256
        receiptBytes = 1 << 20
        cachedBytes = 8 << 20
        rememberedWrites = 16_384
    }

    /// The defaults.
    public static let `default` = StoreLimits()
}

/// How much is in the store, in rows.
public struct StoreStatistics: Sendable, Hashable {
    /// Transactions, each once.
    public let transactions: Int
    /// Subscriptions whose state of renewal is known.
    public let renewals: Int
    /// Notifications that were recorded.
    public let notifications: Int
    /// Receipts that are the newest of a line.
    public let receipts: Int
    /// Lines with a receipt.
    public let lines: Int
    /// Lines that belong to an account.
    public let owners: Int
    /// See ``TransactionStore/passedOver``.
    public let passedOver: Int
    /// Writes that wait or are being made.
    public let pendingWrites: Int
}
#endif
