#if Server
/// The limits on what a store processes at a time and keeps in memory.
public struct StoreLimits: Sendable, Hashable {
    /// The maximum number of writes that are waiting or in progress. Further writes throw ``StoreError/busy``. Default:
    /// 1,024.
    public var maxPendingWrites: Int
    /// The maximum number of writes in one commit. Default: 256.
    public var maxWritesPerCommit: Int
    /// The maximum number of transactions read for one original transaction: revocations first, then the periods that
    /// end last, whenever they were signed. If the revocations alone exceed it, the store throws
    /// ``StoreError/tooMuchEvidence``. Default: 1,000.
    public var maxTransactionsPerOriginal: Int
    /// The maximum number of transactions read for one receipt, and at a time for an account. If more are needed for a
    /// receipt, the store throws ``StoreError/tooMuchEvidence``. Default: 20,000.
    public var maxTransactionsPerReceipt: Int
    /// The maximum number of stored receipts read for one receipt, and at a time for an account. If more are needed for
    /// a receipt, the store throws ``StoreError/tooMuchEvidence``. Default: 256.
    public var maxReceiptsPerReceipt: Int
    /// The maximum size of a stored receipt in bytes. Larger ones aren't stored. Default: 1 MiB, about 2,500 purchases.
    public var maxReceiptBytes: Int
    /// The maximum total size of the tokens and receipts whose verified values are cached, in bytes. The values need
    /// several times as much memory. Default: 8 MiB, about 1,500 tokens.
    public var maxCachedBytes: Int
    /// The maximum number of recent writes that are remembered, so that repeated ones are skipped. Default: 16,384.
    public var maxRememberedWrites: Int

    /// Creates the default limits.
    public init() {
        maxPendingWrites = 1024
        maxWritesPerCommit = 256
        maxTransactionsPerOriginal = 1000
        maxTransactionsPerReceipt = 20_000
        maxReceiptsPerReceipt = 256
        maxReceiptBytes = 1 << 20
        maxCachedBytes = 8 << 20
        maxRememberedWrites = 16_384
    }

    /// The default limits.
    public static let `default` = StoreLimits()
}
#endif
