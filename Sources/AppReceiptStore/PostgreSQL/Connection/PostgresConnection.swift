#if Postgres
import AppReceiptSupport
import CPostgreSQL
import Crypto
import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A connection, which one thread at a time uses. After any error it is useless, and closed with the last reference.
///
/// All statements that are run together are one pipeline with one synchronization: one round trip.
///
/// Statements with parameters are prepared once, because otherwise the database spends half of its time on plans. A
/// connection isn't used for long: a plan for small tables is slow once they have grown.
@safe
final class PostgresConnection {
    private let connection: OpaquePointer
    private let preparesStatements: Bool
    /// The names of the prepared statements, by their text.
    private var names: [String: String] = [:]
    private let start = DispatchTime.now().uptimeNanoseconds

    /// In nanoseconds.
    private static let lifetime: UInt64 = 30_000_000_000
    /// The largest number of prepared statements.
    private static let maxPrepared = 200

    /// How long the database may take without sending or receiving anything, in milliseconds.
    static let patience: Int32 = 1500

    /// Opens a connection, and checks that its commits are durable.
    ///
    /// - Parameters:
    ///   - address: The address of the database.
    ///   - preparesStatements: Whether statements are prepared. A pooler may not keep them.
    init(_ address: PostgresAddress, preparesStatements: Bool = true) throws(PostgresFailure) {
        self.preparesStatements = preparesStatements
        guard let connection = unsafe Self.start(address) else { throw .lost }
        unsafe self.connection = connection
        if let reason = unsafe Self.finishOpening(connection) { throw .unopened(reason: reason) }
        unsafe PQsetNoticeProcessor(connection, { _, _ in }, nil)
        guard unsafe PQsetnonblocking(connection, 1) == 0, unsafe PQenterPipelineMode(connection) == 1 else {
            throw .lost
        }
        try checkDurability()
    }

    deinit { unsafe PQfinish(connection) }

    /// Whether a new connection should be used.
    var isOld: Bool { DispatchTime.now().uptimeNanoseconds - start > Self.lifetime }

    private static func start(_ address: PostgresAddress) -> OpaquePointer? {
        let options = address.options.sorted { $0.key < $1.key }
        return unsafe withCStrings(options.map(\.key)) { keys in
            unsafe withCStrings(options.map(\.value)) { values in unsafe PQconnectStartParams(keys, values, 0) }
        }
    }

    /// Calls `body` with an array of strings that ends with null.
    private static func withCStrings<Result>(
        _ strings: [String], _ body: (UnsafePointer<UnsafePointer<CChar>?>) -> Result
    ) -> Result {
        let copies = unsafe strings.map { unsafe strdup($0) }
        defer { unsafe copies.forEach { unsafe free($0) } }
        let pointers = unsafe copies.map { unsafe UnsafePointer<CChar>($0) } + [nil]
        return unsafe pointers.withUnsafeBufferPointer { pointers in
            // The array has at least the null.
            unsafe body(pointers.baseAddress.unsafelyUnwrapped)
        }
    }

    /// Waits until a connection is open.
    ///
    /// - Returns: Why it can't be opened, in the words of the database; nil if it is open.
    private static func finishOpening(_ connection: OpaquePointer) -> String? {
        // Without a socket to wait for, it has failed already.
        let hasFailed = unsafe PQstatus(connection) == CONNECTION_BAD
        var status = hasFailed ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING
        while status != PGRES_POLLING_OK {
            guard status != PGRES_POLLING_FAILED else {
                return unsafe String(cString: PQerrorMessage(connection)).split(whereSeparator: \.isWhitespace)
                    .joined(separator: " ")
            }
            guard unsafe wait(for: connection, writing: status == PGRES_POLLING_WRITING) else {
                return "The database doesn't respond."
            }
            status = unsafe PQconnectPoll(connection)
        }
        return nil
    }

    /// Each time, because settings of the role and the database may change.
    private func checkDurability() throws(PostgresFailure) {
        let settings = try run([
            PostgresStatement("SELECT current_setting('fsync'), current_setting('synchronous_commit')")
        ]).first?.first
        guard settings?.text(0) == "on", settings?.text(1) != "off" else { throw .notDurable }
    }

    // MARK: Statements

    /// Runs statements in one round trip, and returns the result of each. Outside of a transaction, they are one.
    ///
    /// - Parameters:
    ///   - statements: The statements.
    ///   - patience: How long the database may take without sending or receiving anything, in milliseconds.
    func run(
        _ statements: [PostgresStatement], patience: Int32 = PostgresConnection.patience
    ) throws(PostgresFailure) -> [PostgresResult] {
        // Whether the caller gets the result of what is sent.
        var returnsResult: [Bool] = []
        for statement in statements {
            if try prepare(statement) { returnsResult.append(false) }
            try send(statement, preparedAs: names[statement.sql])
            returnsResult.append(true)
        }
        guard unsafe PQpipelineSync(connection) == 1 else { throw .lost }
        try flush(patience)
        var results: [PostgresResult] = []
        for isReturned in returnsResult {
            let result = try nextResult(patience)
            if isReturned { results.append(result) }
            // The end of the statement.
            guard unsafe PQgetResult(connection) == nil else { throw .lost }
        }
        guard unsafe PQresultStatus(try receive(patience)) == PGRES_PIPELINE_SYNC else { throw .lost }
        return results
    }

    /// Prepares a statement, unless it is prepared.
    ///
    /// - Returns: Whether something was sent.
    private func prepare(_ statement: PostgresStatement) throws(PostgresFailure) -> Bool {
        guard preparesStatements, !statement.values.isEmpty, names[statement.sql] == nil,
            names.count < Self.maxPrepared
        else { return false }
        // The same name never means another statement, on whatever connection of a pooler it is.
        let name = SHA256.hash(data: Array(statement.sql.utf8)).prefix(16).hexadecimal()
        let types = statement.values.map(\.type)
        guard unsafe PQsendPrepare(connection, name, statement.sql, Int32(types.count), types) == 1 else {
            throw .lost
        }
        names[statement.sql] = name
        return true
    }

    /// Sends a statement.
    ///
    /// - Parameters:
    ///   - statement: The statement.
    ///   - name: The name under which it is prepared; nil if it isn't.
    private func send(_ statement: PostgresStatement, preparedAs name: String?) throws(PostgresFailure) {
        var (bytes, offsets, lengths): ([UInt8], [Int?], [Int32]) = ([], [], [])
        for value in statement.values {
            let encoded = try value.encoded()
            offsets.append(encoded == nil ? nil : bytes.count)
            lengths.append(Int32(clamping: encoded?.count ?? 0))
            // A zero byte after each value, so that an empty one has an address too.
            bytes += (encoded ?? []) + [0]
        }
        let types = statement.values.map(\.type)
        let formats = [Int32](repeating: 1, count: types.count)
        let sent = unsafe bytes.withUnsafeBufferPointer { buffer in
            let values: [UnsafePointer<CChar>?] = unsafe offsets.map { offset in
                guard let offset, let start = buffer.baseAddress else { return nil }
                return unsafe UnsafeRawPointer(start + offset).assumingMemoryBound(to: CChar.self)
            }
            guard let name else {
                return unsafe PQsendQueryParams(
                    connection, statement.sql, Int32(types.count), types, values, lengths, formats, 1)
            }
            return unsafe PQsendQueryPrepared(
                connection, name, Int32(types.count), values, lengths, formats, 1)
        }
        guard sent == 1 else { throw .lost }
    }

    private func flush(_ patience: Int32) throws(PostgresFailure) {
        while true {
            switch unsafe PQflush(connection) {
            case 0: return
            case 1:
                // Results of the first statements are read meanwhile. Otherwise, both sides would wait for the other.
                try wait(writing: true, patience: patience)
                guard unsafe PQconsumeInput(connection) == 1 else { throw .lost }
            default: throw .lost
            }
        }
    }

    private func receive(_ patience: Int32) throws(PostgresFailure) -> OpaquePointer {
        while unsafe PQisBusy(connection) == 1 {
            try wait(writing: false, patience: patience)
            guard unsafe PQconsumeInput(connection) == 1 else { throw .lost }
        }
        guard let result = unsafe PQgetResult(connection) else { throw .lost }
        return unsafe result
    }

    private func nextResult(_ patience: Int32) throws(PostgresFailure) -> PostgresResult {
        let received = unsafe try receive(patience)
        let result = unsafe PostgresResult(received)
        switch unsafe PQresultStatus(received) {
        case PGRES_TUPLES_OK, PGRES_COMMAND_OK: return result
        default:
            guard let state = unsafe PQresultErrorField(received, Int32(UInt8(ascii: "C"))) else { throw .lost }
            throw unsafe Self.failure(state: String(cString: state))
        }
    }

    private static func failure(state: String) -> PostgresFailure {
        // Connection exceptions, a server that stops or starts, too many connections.
        let isLost = state.hasPrefix("08") || state.hasPrefix("57P") || state == "53300"
        return isLost ? .lost : .rejected(state: state)
    }

    // MARK: Waiting

    private func wait(
        writing: Bool, patience: Int32 = PostgresConnection.patience
    ) throws(PostgresFailure) {
        guard unsafe Self.wait(for: connection, writing: writing, patience: patience) else { throw .silent }
    }

    /// - Returns: False if the time is over.
    private static func wait(
        for connection: OpaquePointer, writing: Bool, patience: Int32 = PostgresConnection.patience
    ) -> Bool {
        var descriptor = unsafe pollfd(
            fd: PQsocket(connection), events: Int16(writing ? POLLIN | POLLOUT : POLLIN), revents: 0)
        while true {
            let count = unsafe poll(&descriptor, 1, patience)
            if count >= 0 { return count > 0 }
            guard errno == EINTR else { return false }
        }
    }
}
#endif
