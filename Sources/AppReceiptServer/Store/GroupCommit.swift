#if Server
import GRDB

/// Gathers writes that come at the same time and makes them durable together: what costs is the disk's confirmation, and
/// one is enough for all of them.
///
/// Each writer goes on after the commit that its write was part of. A write that fails takes nothing of the others with it.
/// Where it is the database that fails, all that were to be committed together fail with it: to try each alone would have
/// them wait for the same locked file one after another.
actor GroupCommit {
    /// A write; it runs in a transaction, perhaps more than once, and must give the same each time.
    typealias Write = @Sendable (Database) throws -> RecordResult

    private struct Waiting {
        let write: Write
        let writer: CheckedContinuation<Result<RecordResult, StoreError>, Never>
    }

    private let database: any DatabaseWriter
    private let file: DatabaseFile?
    private let maxPending: Int
    private let maxPerCommit: Int
    private var waiting: [Waiting] = []
    private var beingMade = 0
    private var isRunning = false
    private var isClosed = false
    private var closing: [CheckedContinuation<Void, Never>] = []

    /// Whether nothing of the last commit was written.
    private(set) var hasFailed = false

    /// - Parameter file: the database's, which must be in place for a write to count; nil for one in memory.
    init(_ database: any DatabaseWriter, file: DatabaseFile? = nil, limits: StoreLimits) {
        self.database = database
        self.file = file
        maxPending = limits.pendingWrites
        maxPerCommit = max(1, limits.writesPerCommit)
    }

    /// Writes that wait or are being made.
    var pending: Int { waiting.count + beingMade }

    /// What the write gives, once it is on disk.
    ///
    /// - Throws: `busy` at once if too many wait; `closed`; or why it could not be written, and then nothing of it was.
    func callAsFunction(_ write: @escaping Write) async throws(StoreError) -> RecordResult {
        guard !isClosed else { throw .closed }
        guard pending < maxPending else { throw .busy }
        let result = await withCheckedContinuation { writer in
            waiting.append(Waiting(write: write, writer: writer))
            guard !isRunning else { return }
            isRunning = true
            Task { await self.run() }
        }
        return try result.get()
    }

    /// Takes no more writes, and returns when those that it took are made or have failed.
    ///
    /// What waits is tried once and together, so that a database that another process holds is waited for twice at most:
    /// by the writes that are being made, and by the rest.
    func close() async {
        isClosed = true
        guard isRunning else { return }
        await withCheckedContinuation { closing.append($0) }
    }

    private func run() async {
        while !waiting.isEmpty {
            let batch = Array(waiting.prefix(isClosed ? waiting.count : maxPerCommit))
            waiting.removeFirst(batch.count)
            beingMade = batch.count
            var results = await Self.commit(batch.map(\.write), to: database)
            if file?.isInPlace == false { results = results.map { _ in .failure(.fileGone) } }
            hasFailed = results.allSatisfy { if case .failure = $0 { true } else { false } }
            beingMade = 0
            for (waiting, result) in zip(batch, results) { waiting.writer.resume(returning: result) }
        }
        isRunning = false
        for closer in closing { closer.resume() }
        closing = []
    }

    /// What came of each write, all of them in one transaction if that can be.
    private static func commit(
        _ writes: [Write], to database: any DatabaseWriter
    ) async -> [Result<RecordResult, StoreError>] {
        do {
            return try await database.write { database in try writes.map { try make($0, database) } }
        } catch {
            guard writes.count > 1, !isOfDatabase(error) else {
                return Array(repeating: .failure(StoreError(error)), count: writes.count)
            }
            // Nothing was written. Whose fault it was shows when each is made alone.
            var results: [Result<RecordResult, StoreError>] = []
            for (index, write) in writes.enumerated() {
                do {
                    results.append(try await database.write { database in try make(write, database) })
                } catch {
                    let failure = Result<RecordResult, StoreError>.failure(StoreError(error))
                    guard isOfDatabase(error) else {
                        results.append(failure)
                        continue
                    }
                    return results + Array(repeating: failure, count: writes.count - index)
                }
            }
            return results
        }
    }

    /// Whether it would have come of any other write as well.
    private static func isOfDatabase(_ error: any Error) -> Bool {
        guard let error = error as? DatabaseError else { return false }
        return switch error.resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_IOERR, .SQLITE_FULL, .SQLITE_CANTOPEN, .SQLITE_READONLY,
            .SQLITE_CORRUPT, .SQLITE_NOTADB:
            true
        default: false
        }
    }

    /// What came of a write in a transaction that others share.
    ///
    /// - Throws: if the transaction cannot go on.
    private static func make(_ write: Write, _ database: Database) throws -> Result<RecordResult, StoreError> {
        var recorded = RecordResult.notStored
        do {
            try database.inSavepoint {
                recorded = try write(database)
                return .commit
            }
            return .success(recorded)
        } catch {
            // Some faults, a full disk among them, make SQLite end the whole transaction, with what others wrote before.
            guard database.isInsideTransaction else { throw error }
            return .failure(StoreError(error))
        }
    }
}
#endif
