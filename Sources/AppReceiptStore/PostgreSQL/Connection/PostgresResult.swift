#if Postgres
import CPostgreSQL

/// The rows that a statement returned. They are in memory, so they don't depend on the connection.
@safe
final class PostgresResult: @unchecked Sendable {
    private let result: OpaquePointer

    /// - Parameter result: The result of libpq, which this object frees.
    init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe PQclear(result) }

    /// The number of rows.
    var count: Int { unsafe Int(PQntuples(result)) }

    /// The rows in order.
    var rows: [PostgresRow] { (0..<count).map { PostgresRow(result: self, number: $0) } }

    /// The first row; nil without one.
    var first: PostgresRow? { count > 0 ? PostgresRow(result: self, number: 0) : nil }

    /// The first column of the first row; nil without one.
    var integer: Int64? { first?.integer(0) }

    /// The bytes of a value; nil for null.
    fileprivate func value(row: Int, column: Int) -> UnsafeRawBufferPointer? {
        let (row, column) = (Int32(row), Int32(column))
        guard unsafe PQgetisnull(result, row, column) == 0, let bytes = unsafe PQgetvalue(result, row, column) else {
            return nil
        }
        return unsafe UnsafeRawBufferPointer(start: bytes, count: Int(PQgetlength(result, row, column)))
    }
}

/// A row that a statement returned. Its values are nil if they are null.
struct PostgresRow {
    fileprivate let result: PostgresResult
    fileprivate let number: Int

    func text(_ column: Int) -> String? {
        unsafe result.value(row: number, column: column).map { unsafe String(decoding: $0, as: UTF8.self) }
    }

    func bytes(_ column: Int) -> [UInt8]? {
        unsafe result.value(row: number, column: column).map { unsafe Array($0) }
    }

    /// The value of a column of the type `bigint` or `integer`.
    func integer(_ column: Int) -> Int64? {
        guard let bytes = bytes(column) else { return nil }
        switch bytes.count {
        case 8: return bytes.reduce(0) { $0 << 8 | Int64($1) }
        case 4: return Int64(Int32(truncatingIfNeeded: bytes.reduce(0) { $0 << 8 | Int64($1) }))
        default: return nil
        }
    }

    /// Whether the value is true. Null isn't.
    func boolean(_ column: Int) -> Bool { bytes(column) == [1] }
}
#endif
