#if Postgres
import AppReceiptFoundation
import AppReceiptSupport

/// The connection of one thread, which is opened again if it was lost.
///
/// It has no state in the database, so that its transactions may be on different connections of a pooler.
final class PostgresSession: @unchecked Sendable {
    private let address: PostgresAddress
    private var connection: PostgresConnection?
    /// Identifies the session among those of all servers.
    private let identifier = UUID().uuidString
    private var lastTransaction: Int64 = 0
    /// Whether statements are prepared: until a pooler loses one.
    private var preparesStatements = true

    /// Why the database didn't respond, or the connection couldn't be opened; nil since it was opened.
    private(set) var outage: StoreError?

    /// How often a transaction is tried that meets others, or connections that are lost.
    private static let maxAttempts = 5
    /// The patience with statements for which nobody waits, in milliseconds.
    static let longPatience: Int32 = 600_000

    init(_ address: PostgresAddress) { self.address = address }

    /// Closes the connection. The next statement opens another one.
    func close() { connection = nil }

    /// Opens the connection unless it is open.
    func connect() throws(StoreError) {
        do throws(PostgresFailure) { _ = try open() } catch { throw close(after: error) }
    }

    private func open() throws(PostgresFailure) -> PostgresConnection {
        if let connection, !connection.isOld { return connection }
        let opened = try PostgresConnection(address, preparesStatements: preparesStatements)
        connection = opened
        outage = nil
        return opened
    }

    private func close(after failure: PostgresFailure) -> StoreError {
        connection = nil
        let error = failure.storeError
        if error == .databaseUnreachable { outage = error }
        return error
    }

    // MARK: Reading

    /// Runs statements that only read, in one round trip.
    func read(
        _ statements: [PostgresStatement], patience: Int32 = PostgresConnection.patience
    ) throws(StoreError) -> [PostgresResult] {
        let limit = PostgresStatement(
            "SELECT set_config('statement_timeout', $1, true)", values: [.text(String(patience))])
        var attempts = 0
        while true {
            attempts += 1
            let isReused = connection != nil
            do throws(PostgresFailure) {
                return Array(try open().run([limit] + statements, patience: patience).dropFirst())
            } catch {
                connection = nil
                switch error {
                // The database may have been restarted since the last statement.
                case .lost where isReused && attempts < Self.maxAttempts: break
                case _ where error.isPreparedStatementConflict && attempts < Self.maxAttempts:
                    preparesStatements = false
                default: throw close(after: error)
                }
            }
        }
    }

    // MARK: Writing

    /// Performs a transaction, again if it met another one, or if the connection was lost before it was committed.
    ///
    /// - Parameters:
    ///   - patience: How long the database may take without sending or receiving anything, in milliseconds.
    ///   - body: Runs the statements of the transaction. It may be called several times.
    /// - Returns: What `body` returned, once it is on disk.
    func write<Value>(
        patience: Int32 = PostgresConnection.patience, _ body: (PostgresTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Value {
        var attempts = 0
        while true {
            attempts += 1
            switch try attempt(patience: patience, body) {
            case .success(let value): return value
            case .failure(.lost) where attempts < Self.maxAttempts: continue
            case .failure(let failure) where failure.isPreparedStatementConflict && attempts < Self.maxAttempts:
                preparesStatements = false
            case .failure(let failure) where failure.isTransient && attempts < Self.maxAttempts: continue
            case .failure(let failure): throw close(after: failure)
            }
        }
    }

    /// Performs a transaction once.
    ///
    /// - Throws: The error of opening a connection, or the error with which `body` gave up, and rolled back.
    private func attempt<Value>(
        patience: Int32, _ body: (PostgresTransaction) throws(StoreError) -> Value
    ) throws(StoreError) -> Result<Value, PostgresFailure> {
        try connect()
        guard let connection else { throw .databaseUnreachable }
        let transaction = PostgresTransaction(connection, patience: patience)
        let value: Value
        do throws(StoreError) {
            value = try body(transaction)
        } catch {
            self.connection = nil
            guard let failure = transaction.failure else { throw error }
            return .failure(failure)
        }
        guard transaction.hasBegun || !transaction.lastStatements.isEmpty else { return .success(value) }
        lastTransaction += 1
        do throws(PostgresFailure) {
            try transaction.commit(leaving: mark(number: lastTransaction))
            return .success(value)
        } catch {
            self.connection = nil
            if case .lost = error, try isCommitted(lastTransaction) { return .success(value) }
            return .failure(error)
        }
    }

    /// The statement that leaves the number of the session's last transaction, in the transaction itself.
    private func mark(number: Int64) -> PostgresStatement {
        PostgresStatement(
            """
            INSERT INTO commits (session, number, date) VALUES ($1, $2, $3)
            ON CONFLICT (session) DO UPDATE SET number = EXCLUDED.number, date = EXCLUDED.date
            """, values: [.text(identifier), .integer(number), .integer(Date().milliseconds)])
    }

    /// Deletes what sessions left that ended a week ago.
    func removeOldMarks() throws(StoreError) {
        let week: Int64 = 7 * 86_400_000
        let now = Date().milliseconds ?? 0
        try write { transaction throws(StoreError) in
            _ = try transaction.run("DELETE FROM commits WHERE date < $1", values: [.integer(now - week)])
        }
    }

    /// Whether a transaction was committed whose commit wasn't answered.
    ///
    /// It may still be in progress on the connection that was lost: the statement waits for its end, because it writes
    /// the same row.
    private func isCommitted(_ number: Int64) throws(StoreError) -> Bool {
        let statement = PostgresStatement(
            """
            INSERT INTO commits (session, number, date) VALUES ($1, 0, $2)
            ON CONFLICT (session) DO UPDATE SET date = EXCLUDED.date RETURNING number
            """, values: [.text(identifier), .integer(Date().milliseconds)])
        return try read([statement]).first?.integer == number
    }
}
#endif
