#if Postgres

/// A write of a store.
enum PostgresWrite: Sendable {
    /// Evidence, which shares a transaction with other evidence.
    case evidence(PostgresBatch.Submission)
    /// Something else, in a transaction of its own. It may be called several times.
    case other(@Sendable (PostgresSession) throws(StoreError) -> Void)

    /// Performs writes on one session, and returns their results.
    static func perform(
        _ writes: [PostgresWrite], by writer: PostgresWriter, in pool: PostgresPool
    ) async -> [Result<RecordResult, StoreError>] {
        do throws(StoreError) {
            return try await pool.perform { session throws(StoreError) in perform(writes, by: writer, with: session) }
        } catch {
            return writes.map { _ in .failure(error) }
        }
    }

    private static func perform(
        _ writes: [PostgresWrite], by writer: PostgresWriter, with session: PostgresSession
    ) -> [Result<RecordResult, StoreError>] {
        var results = [Result<RecordResult, StoreError>](repeating: .success(.known), count: writes.count)
        var submissions: [(index: Int, submission: PostgresBatch.Submission)] = []
        for (index, write) in writes.enumerated() {
            switch write {
            case .evidence(let submission): submissions.append((index, submission))
            case .other(let body):
                do throws(StoreError) { try body(session) } catch { results[index] = .failure(error) }
            }
        }
        let recorded = record(submissions.map(\.submission), by: writer, with: session)
        for (submission, result) in zip(submissions, recorded) { results[submission.index] = result }
        return results
    }

    private static func record(
        _ submissions: [PostgresBatch.Submission], by writer: PostgresWriter, with session: PostgresSession
    ) -> [Result<RecordResult, StoreError>] {
        guard !submissions.isEmpty else { return [] }
        do throws(StoreError) {
            return try writer.write(submissions, with: session).map { .success($0) }
        } catch {
            // Nothing was written. Each alone, to find the one that fails, unless the database itself fails.
            let isDatabaseFailure = [.databaseUnreachable, .notDurable, .notWritable, .full].contains(error)
            guard submissions.count > 1, !isDatabaseFailure else { return submissions.map { _ in .failure(error) } }
            return submissions.flatMap { record([$0], by: writer, with: session) }
        }
    }
}
#endif
