#if Server
import GRDB

/// The commits of a database that has one writer.
///
/// A failed write has no effect on the others. If the database itself fails, all writes of the commit fail: trying each
/// alone would wait for the same locked file again and again.
struct SQLiteCommit: Sendable {
    /// A write. It runs in a transaction, possibly more than once, and must have the same effect each time.
    typealias Write = @Sendable (Database) throws -> RecordResult

    let database: any DatabaseWriter
    /// The database's files, which must be in place for a write to succeed; nil for a database in memory.
    let file: DatabaseFile?

    /// Performs the writes, in one transaction if possible, and returns their results.
    func callAsFunction(_ writes: [Write]) async -> [Result<RecordResult, StoreError>] {
        let results = await perform(writes)
        return file?.isInPlace == false ? results.map { _ in .failure(.fileGone) } : results
    }

    private func perform(_ writes: [Write]) async -> [Result<RecordResult, StoreError>] {
        do {
            return try await database.write { database in try writes.map { try Self.perform($0, in: database) } }
        } catch {
            guard writes.count > 1, !Self.isDatabaseFailure(error) else {
                return Array(repeating: .failure(StoreError(sqlite: error)), count: writes.count)
            }
            // Nothing was written. Perform each write alone to find the one that fails.
            var results: [Result<RecordResult, StoreError>] = []
            for (index, write) in writes.enumerated() {
                do {
                    results.append(try await database.write { database in try Self.perform(write, in: database) })
                } catch {
                    let failure = Result<RecordResult, StoreError>.failure(StoreError(sqlite: error))
                    guard Self.isDatabaseFailure(error) else {
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
