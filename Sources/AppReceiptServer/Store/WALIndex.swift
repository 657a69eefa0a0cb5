#if Server
import GRDB
import GRDBSQLite

/// The index of SQLite's write-ahead log: memory that all processes with the same database share.
///
/// The header changes with every commit of any process. SQLite compares it to find out whether its cached pages are current. Reading it
/// takes neither a lock nor a system call.
///
/// Source: <https://www.sqlite.org/walformat.html>, section 2.1.
@safe
struct WALIndex: @unchecked Sendable {
    /// What changes in the header.
    struct Header: Sendable, Equatable {
        /// The number of commits, modulo 2^32.
        let commits: UInt32
        /// The frames in the log.
        let frames: UInt32
        /// Changes when the log is written from its beginning again.
        let salt: UInt64
        /// The checksum of the other fields.
        let checksum: UInt64
    }

    private let start: UnsafeRawPointer

    /// - Parameter database: The connection, which has used the log. The index is valid until it is closed.
    /// - Throws: `cannotOpen` if the database has no index.
    init(_ database: Database) throws(StoreError) {
        // SQLite's own mapping: to close another descriptor of the same file would release its locks.
        var file: UnsafeMutablePointer<sqlite3_file>?
        unsafe sqlite3_file_control(database.sqliteConnection, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        var start: UnsafeMutableRawPointer?
        guard let file = unsafe file, let methods = unsafe file.pointee.pMethods, unsafe methods.pointee.iVersion >= 2,
            let map = unsafe methods.pointee.xShmMap, unsafe map(file, 0, Self.regionBytes, 0, &start) == SQLITE_OK,
            let start = unsafe start
        else { throw .cannotOpen }
        unsafe self.start = UnsafeRawPointer(start)
    }

    /// The size of a part of the index.
    private static let regionBytes: Int32 = 32 << 10

    /// The header now. It may be incomplete while another process writes it, and then equals neither the previous nor the next one.
    var header: Header {
        unsafe Header(
            commits: start.load(fromByteOffset: 8, as: UInt32.self),
            frames: start.load(fromByteOffset: 16, as: UInt32.self),
            salt: start.load(fromByteOffset: 32, as: UInt64.self),
            checksum: start.load(fromByteOffset: 40, as: UInt64.self))
    }
}
#endif
