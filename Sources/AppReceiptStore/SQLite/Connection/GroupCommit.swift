#if Server
import GRDB

/// Combines concurrent writes in one commit, because most of the cost of a commit is the disk synchronization.
///
/// A writer continues after the commit that contains its write. A failed write has no effect on the others. If the
/// database itself fails, all writes of the commit fail: trying each alone would wait for the same locked file again
/// and again.
actor GroupCommit {
    /// A write. It runs in a transaction, possibly more than once, and must have the same effect each time.
    typealias Write = @Sendable (Database) throws -> RecordResult

    private struct PendingWrite {
        let write: Write
        let writer: CheckedContinuation<Result<RecordResult, StoreError>, Never>
    }

    private let database: any DatabaseWriter
    private let file: DatabaseFile?
    private let maxPending: Int
    private let maxPerCommit: Int
    private var waiting: [PendingWrite] = []
    private var inProgress = 0
    private var isRunning = false
    private var isClosed = false
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// Whether all writes of the last commit failed.
    private(set) var hasFailed = false

    /// - Parameters:
    ///   - database: The database.
    ///   - file: The database's files, which must be in place for a write to succeed; nil for a database in memory.
    ///   - limits: The limits on waiting writes and on the size of a commit.
    init(_ database: any DatabaseWriter, file: DatabaseFile? = nil, limits: StoreLimits) {
        self.database = database
        self.file = file
        maxPending = limits.maxPendingWrites
        maxPerCommit = max(1, limits.maxWritesPerCommit)
    }

    /// The number of writes that are waiting or in progress.
    var pending: Int { waiting.count + inProgress }

    /// Performs a write and returns its result once it is on disk.
    ///
    /// - Throws: `busy` immediately if too many writes are waiting; `closed`; or the error of the write, which then has
    ///   no effect.
    func perform(_ write: @escaping Write) async throws(StoreError) -> RecordResult {
        guard !isClosed else { throw .closed }
        guard pending < maxPending else { throw .busy }
        let result = await withCheckedContinuation { writer in
            waiting.append(PendingWrite(write: write, writer: writer))
            guard !isRunning else { return }
            isRunning = true
            Task { await self.run() }
        }
        return try result.get()
    }

    /// Rejects further writes, and returns when the accepted ones have succeeded or failed.
    ///
    /// The waiting writes are tried once, in one commit, so that a database that is locked by another process is waited
    /// for at most twice.
    func close() async {
        isClosed = true
        guard isRunning else { return }
        await withCheckedContinuation { closing.append($0) }
    }

    private func run() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(isClosed ? waiting.count : maxPerCommit))
            waiting.removeFirst(batch.count)
            inProgress = batch.count
            var results = await Self.commit(batch.map(\.write), to: database)
            if file?.isInPlace == false { results = results.map { _ in .failure(.fileGone) } }
            hasFailed = results.allSatisfy { if case .failure = $0 { true } else { false } }
            inProgress = 0
            for (write, result) in zip(batch, results) { write.writer.resume(returning: result) }
        }
        isRunning = false
        for closer in closing { closer.resume() }
        closing = []
    }

    /// Performs the writes, in one transaction if possible, and returns their results.
    private static func commit(
        _ writes: [Write], to database: any DatabaseWriter
    ) async -> [Result<RecordResult, StoreError>] {
        do {
            return try await database.write { database in try writes.map { try perform($0, in: database) } }
        } catch {
            guard writes.count > 1, !isDatabaseFailure(error) else {
                return Array(repeating: .failure(StoreError(sqlite: error)), count: writes.count)
            }
            // Nothing was written. Perform each write alone to find the one that fails.
            var results: [Result<RecordResult, StoreError>] = []
            for (index, write) in writes.enumerated() {
                do {
                    results.append(try await database.write { database in try perform(write, in: database) })
                } catch {
                    let failure = Result<RecordResult, StoreError>.failure(StoreError(sqlite: error))
                    guard isDatabaseFailure(error) else {
                        results.append(failure)
                        continue
                    }
                    return results + Array(repeating: failure, count: writes.count - index)
                }
            }
            return results
        }
    }

    /// Whether any other write would have failed too.
    private static func isDatabaseFailure(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY,
            .SQLITE_CORRUPT, .SQLITE_NOTADB:
            true
        default: false
        }
    }

    /// Performs a write in a shared transaction.
    ///
    /// - Throws: An error if the transaction can't continue.
    private static func perform(_ write: Write, in database: Database) throws -> Result<RecordResult, StoreError> {
        var result = RecordResult.notStored
        do {
            try database.inSavepoint {
                result = try write(database)
                return .commit
            }
            return .success(result)
        } catch {
            // Some errors, such as a full disk, make SQLite roll back the whole transaction, with the other writes.
            guard database.isInsideTransaction else { throw error }
            return .failure(StoreError(sqlite: error))
        }
    }
}
#endif
