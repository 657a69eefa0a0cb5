#if Postgres

/// A transaction of a session. It begins with its first statements, in the same round trip.
///
/// Its settings end with it, so that a pooler may give the connection to somebody else then.
final class PostgresTransaction {
    /// The statements that are run in the same round trip as the commit.
    var lastStatements: [PostgresStatement] = []
    /// Why a statement failed; nil if none did.
    private(set) var failure: PostgresFailure?
    /// Whether a statement was run.
    private(set) var hasBegun = false
    private let connection: PostgresConnection
    private let patience: Int32

    init(_ connection: PostgresConnection, patience: Int32) {
        self.connection = connection
        self.patience = patience
    }

    /// How long a lock is waited for, in milliseconds: less than a response, so that the reason is known.
    private static let maxLockWait: Int32 = 1000
    /// How long a server that vanished may have locks, in milliseconds. To verify large accounts takes seconds.
    private static let maxIdle: Int32 = 30_000

    /// Runs statements in one round trip.
    func run(_ statements: [PostgresStatement]) throws(StoreError) -> [PostgresResult] {
        do throws(PostgresFailure) {
            return try perform(statements)
        } catch {
            failure = error
            throw error.storeError
        }
    }

    /// Runs a statement, and returns its result.
    func run(_ sql: String, values: [PostgresValue] = []) throws(StoreError) -> PostgresResult {
        guard let result = try run([PostgresStatement(sql, values: values)]).first else { throw .failed }
        return result
    }

    private func perform(_ statements: [PostgresStatement]) throws(PostgresFailure) -> [PostgresResult] {
        let beginning = hasBegun ? [] : beginning
        hasBegun = true
        return Array(try connection.run(beginning + statements, patience: patience).dropFirst(beginning.count))
    }

    private var beginning: [PostgresStatement] {
        let settings = [
            "statement_timeout": patience + 3500, "lock_timeout": max(patience - 500, Self.maxLockWait),
            "idle_in_transaction_session_timeout": Self.maxIdle,
            // A server may vanish between two statements of a round trip, where the timeout before has no effect.
            "tcp_keepalives_idle": 5, "tcp_keepalives_interval": 2, "tcp_keepalives_count": 2,
        ].sorted { $0.key < $1.key }.map { "set_config('\($0.key)', '\($0.value)', true)" }
        return [
            PostgresStatement("BEGIN ISOLATION LEVEL READ COMMITTED"),
            PostgresStatement("SELECT \(settings.joined(separator: ", "))"),
        ]
    }

    /// Runs the last statements and commits.
    ///
    /// - Parameter mark: The row by which the session finds out whether a commit succeeded whose answer is lost.
    func commit(leaving mark: PostgresStatement) throws(PostgresFailure) {
        _ = try perform(lastStatements + [mark, PostgresStatement("COMMIT")])
    }
}
#endif
