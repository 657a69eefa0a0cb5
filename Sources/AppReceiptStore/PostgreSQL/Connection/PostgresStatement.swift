#if Postgres
import AppReceiptFoundation

/// A statement and the values of its parameters.
struct PostgresStatement: Sendable {
    let sql: String
    let values: [PostgresValue]

    /// - Parameters:
    ///   - sql: The statement, with parameters `$1` and so on.
    ///   - values: Their values.
    init(_ sql: String, values: [PostgresValue] = []) {
        self.sql = sql
        self.values = values
    }
}

/// The value of a parameter. Arrays are the columns of many rows, for `unnest`.
enum PostgresValue: Sendable {
    case text(String?)
    case integer(Int64?)
    case boolean(Bool)
    case bytes([UInt8]?)
    case texts([String?])
    case integers([Int64?])
    case booleans([Bool])
    case manyBytes([[UInt8]?])

    /// The object identifier of the type, the same in every database.
    var type: UInt32 {
        switch self {
        case .boolean: 16
        case .bytes: 17
        case .integer: 20
        case .text: 25
        case .booleans: 1000
        case .manyBytes: 1001
        case .texts: 1009
        case .integers: 1016
        }
    }

    /// The binary form; nil for null.
    ///
    /// - Throws: The error of the database for a text with a zero byte, which it can't store.
    func encoded() throws(PostgresFailure) -> [UInt8]? {
        switch self {
        case .text(let text): try text.map { text throws(PostgresFailure) in try Self.bytes(text) }
        case .integer(let number): number.map { Self.bytes($0) }
        case .boolean(let value): [value ? 1 : 0]
        case .bytes(let bytes): bytes
        case .texts(let texts):
            try Self.array(of: 25, texts) { text throws(PostgresFailure) in try Self.bytes(text) }
        case .integers(let numbers): try Self.array(of: 20, numbers) { Self.bytes($0) }
        case .booleans(let values): try Self.array(of: 16, values) { [$0 ? 1 : 0] }
        case .manyBytes(let values): try Self.array(of: 17, values) { $0 }
        }
    }

    private static func bytes(_ text: String) throws(PostgresFailure) -> [UInt8] {
        guard text.isStorable else { throw .rejected(state: "22021") }
        return Array(text.utf8)
    }

    private static func bytes(_ number: some FixedWidthInteger) -> [UInt8] {
        (0..<(number.bitWidth / 8)).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }

    /// An array of one dimension: the number of dimensions, whether there are nulls, the type, the number of elements,
    /// the first index, and each element with its length.
    private static func array<Element>(
        of type: Int32, _ elements: [Element?], encode: (Element) throws(PostgresFailure) -> [UInt8]
    ) throws(PostgresFailure) -> [UInt8] {
        let hasNulls = elements.contains { $0 == nil }
        var bytes: [UInt8] = []
        let header: [Int32] = [1, hasNulls ? 1 : 0, type, Int32(clamping: elements.count), 1]
        for number in elements.isEmpty ? [0, 0, type] : header { bytes += Self.bytes(number) }
        for element in elements {
            guard let element else {
                bytes += Self.bytes(Int32(-1))
                continue
            }
            let encoded = try encode(element)
            bytes += Self.bytes(Int32(clamping: encoded.count))
            bytes += encoded
        }
        return bytes
    }
}

/// Why a connection can't be used any more.
enum PostgresFailure: Error {
    /// The connection can't be opened, for this reason in the words of the database.
    case unopened(reason: String)
    /// The connection was lost. What it did last may be committed.
    case lost
    /// The database doesn't respond. What the connection did last may be committed.
    case silent
    /// The database doesn't synchronize its disk when it commits.
    case notDurable
    /// The database rejected a statement with this SQLSTATE, and rolled back.
    case rejected(state: String)

    /// The error for the caller of the store.
    var storeError: StoreError {
        switch self {
        case .unopened(let reason): StoreError(.databaseUnreachable, reason: reason)
        case .lost, .silent: .databaseUnreachable
        case .notDurable: .notDurable
        case .rejected(let state): StoreError(Self.code(ofState: state), databaseCode: "PostgreSQL \(state)")
        }
    }

    private static func code(ofState state: String) -> StoreError.Code {
        switch state {
        // Lock timeout, deadlock, serialization failure.
        case "55P03", "40P01", "40001": .locked
        // A read-only database, and missing privileges.
        case "25006", "42501": .notWritable
        case "53100": .full
        case "XX001", "XX002": .damaged
        // A table of another program has the name.
        case "42P07": .foreignDatabase
        default: .failed
        }
    }

    /// Whether a pooler gave the session another connection, on which a prepared statement is missing, or already
    /// exists.
    var isPreparedStatementConflict: Bool {
        if case .rejected(let state) = self { ["26000", "42P05"].contains(state) } else { false }
    }

    /// Whether the same transaction may succeed if it is tried again at once.
    var isTransient: Bool {
        // Beside locks and deadlocks: another server inserted the same key.
        if case .rejected(let state) = self { ["55P03", "40P01", "40001", "23505"].contains(state) } else { false }
    }
}
#endif
