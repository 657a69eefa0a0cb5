#if Server
/// Combines concurrent writes in one commit, because most of the cost of a commit is the disk synchronization.
///
/// A writer continues after the commit that contains its write. Writes about the same purchase are performed one after
/// another, in their order.
actor GroupCommit<Operation: Sendable> {
    /// Performs the writes, in one transaction if possible, and returns their results, which are on disk then.
    typealias Commit = @Sendable ([Operation]) async -> [Result<RecordResult, StoreError>]

    private struct PendingWrite {
        let write: Operation
        let purchases: Set<ScopedOriginal>
        let writer: CheckedContinuation<Result<RecordResult, StoreError>, Never>
    }

    private let commit: Commit
    private let maxPending: Int
    private let maxPerCommit: Int
    private let maxCommits: Int
    private var waiting: [PendingWrite] = []
    private var inProgress = 0
    /// The purchases of the writes in progress.
    private var busyPurchases: Set<ScopedOriginal> = []
    /// The number of tasks that commit writes.
    private var runners = 0
    private var isClosed = false
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// Whether all writes of the last commit failed.
    private(set) var hasFailed = false

    /// - Parameters:
    ///   - limits: The limits on waiting writes and on the size of a commit.
    ///   - commits: The largest number of commits at the same time.
    ///   - commit: Performs the writes of a commit.
    init(limits: StoreLimits, commits: Int = 1, commit: @escaping Commit) {
        self.commit = commit
        maxPending = limits.maxPendingWrites
        maxPerCommit = max(1, limits.maxWritesPerCommit)
        maxCommits = commits
    }

    /// The number of writes that are waiting or in progress.
    var pending: Int { waiting.count + inProgress }

    /// Performs a write and returns its result once it is on disk.
    ///
    /// - Parameters:
    ///   - write: The write.
    ///   - purchases: The purchases that it is about, of which one commit at a time may contain each; none for an
    ///     engine that has one commit at a time.
    /// - Throws: `busy` immediately if too many writes are waiting; `closed`; or the error of the write, which then has
    ///   no effect.
    func perform(_ write: Operation, about purchases: Set<ScopedOriginal> = []) async throws(StoreError) -> RecordResult
    {
        guard !isClosed else { throw .closed }
        guard pending < maxPending else { throw .busy }
        let result = await withCheckedContinuation { writer in
            waiting.append(PendingWrite(write: write, purchases: purchases, writer: writer))
            guard runners < maxCommits else { return }
            runners += 1
            Task { await self.run() }
        }
        return try result.get()
    }

    /// Rejects further writes, and returns when the accepted ones have succeeded or failed.
    ///
    /// The waiting writes are tried once, in one commit if possible, so that a database that is locked by another
    /// process is waited for at most twice.
    func close() async {
        isClosed = true
        guard runners > 0 else { return }
        await withCheckedContinuation { closing.append($0) }
    }

    private func run() async {
        while true {
            let batch = takeBatch()
            guard !batch.isEmpty else { break }
            let purchases = batch.reduce(into: Set<ScopedOriginal>()) { $0.formUnion($1.purchases) }
            busyPurchases.formUnion(purchases)
            inProgress += batch.count
            let results = await commit(batch.map(\.write))
            hasFailed = results.allSatisfy { if case .failure = $0 { true } else { false } }
            inProgress -= batch.count
            busyPurchases.subtract(purchases)
            for (write, result) in zip(batch, results) { write.writer.resume(returning: result) }
        }
        runners -= 1
        // A write that waits for another commit's purchases is taken when that commit ends.
        guard runners == 0 else { return }
        for closer in closing { closer.resume() }
        closing = []
    }

    /// Takes the writes of the next commit: the first ones, without those about a purchase of an earlier write.
    private func takeBatch() -> [PendingWrite] {
        let limit = isClosed ? waiting.count : maxPerCommit
        var (batch, remaining, taken): ([PendingWrite], [PendingWrite], Set<ScopedOriginal>) = ([], [], busyPurchases)
        for (index, write) in waiting.enumerated() {
            guard batch.count < limit else {
                remaining += waiting[index...]
                break
            }
            if taken.isDisjoint(with: write.purchases) { batch.append(write) } else { remaining.append(write) }
            taken.formUnion(write.purchases)
        }
        waiting = remaining
        return batch
    }
}
#endif
