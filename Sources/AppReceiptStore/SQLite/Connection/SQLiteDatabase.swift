#if Server
import GRDB

#if canImport(CoreFoundation)
// The compiler attributes `stat` to whichever module it loads first.
import CoreFoundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Opens and migrates the database.
enum SQLiteDatabase {
    /// - Parameters:
    ///   - path: The file, which is created if necessary; nil for a database in memory.
    ///   - busyMode: What to do about a database that is locked by another process.
    static func writer(at path: String?, busyMode: Database.BusyMode = .timeout(5)) throws(StoreError)
        -> any DatabaseWriter
    {
        let configuration = configuration(busyMode)
        do {
            guard let path else {
                let queue = try DatabaseQueue(configuration: configuration)
                try SQLiteSchema.migrator.migrate(queue)
                return queue
            }
            try create(path)
            let lock = try OpeningLock(path)
            defer { withExtendedLifetime(lock) {} }
            // Inspected first, because opening a pool changes the journal mode.
            try inspect(path, configuration: configuration)
            protect(path)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // The pool sets NORMAL when it enables the write-ahead log, after it applied the configuration.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try SQLiteSchema.migrator.migrate(pool)
            return pool
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// Opens a database that ``writer(at:busyMode:)`` has opened, for reading.
    static func reader(at path: String) throws -> DatabaseQueue {
        var configuration = configuration(.timeout(5))
        configuration.readonly = true
        return try DatabaseQueue(path: path, configuration: configuration)
    }

    /// Opens an existing database for reading, whether a server uses it or not, after the same inspection as
    /// ``writer(at:busyMode:)``. Creates no file.
    ///
    /// - Returns: The database; nil if the next start migrates it.
    static func checkedReader(at path: String) throws(StoreError) -> DatabaseQueue? {
        var configuration = configuration(.timeout(5))
        configuration.readonly = true
        do {
            let source = unusedDatabase(at: path) ?? path
            try inspect(source, configuration: configuration)
            let queue = try DatabaseQueue(path: source, configuration: configuration)
            return try queue.read { try SQLiteSchema.migrator.hasCompletedMigrations($0) } ? queue : nil
        } catch {
            throw StoreError(sqlite: error)
        }
    }

    /// The address of a database that no server uses, because it has no write-ahead log: SQLite reads it without locks,
    /// and without creating a log. Nil for a database with a log.
    private static func unusedDatabase(at path: String) -> String? {
        guard let real = unsafe realpath(path, nil) else { return nil }
        defer { unsafe free(real) }
        let file = unsafe String(cString: real)
        var status = stat()
        guard unsafe stat(file + "-wal", &status) != 0 else { return nil }
        let escaped = file.utf8.reduce(into: "") { escaped, byte in
            let isReserved = [UInt8(ascii: "%"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains(byte) || byte >= 0x80
            escaped += isReserved ? "%" + String(byte, radix: 16) : String(UnicodeScalar(byte))
        }
        return "file:\(escaped)?immutable=1"
    }

    private static func configuration(_ busyMode: Database.BusyMode) -> Configuration {
        var configuration = Configuration()
        configuration.label = "AppReceiptStore"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = busyMode
        configuration.prepareDatabase { database in
            // What is deleted is overwritten: accounts can be forgotten.
            try database.execute(
                sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA secure_delete = ON")
        }
        return configuration
    }

    /// Creates the file, readable only by its owner. SQLite creates its auxiliary files with the same permissions.
    private static func create(_ path: String) throws(StoreError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
            return
        }
        guard errno == EEXIST else { throw .cannotOpen }
        var status = stat()
        guard unsafe stat(path, &status) != 0 else { return }
        // A dangling link, through which SQLite would create a file with default permissions.
        let target = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw .cannotOpen }
        close(target)
    }

    /// Restricts a database that other users can read or write to its owner, together with its auxiliary files.
    ///
    /// Permissions for the group only are treated as intended and stay, and so do permissions that the process may not
    /// change. Changed by path, because closing a descriptor of the file would release SQLite's locks.
    private static func protect(_ path: String) {
        guard let real = unsafe realpath(path, nil) else { return }
        defer { unsafe free(real) }
        let file = unsafe String(cString: real)
        var status = stat()
        guard unsafe stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { return }
        for name in [file, file + "-wal", file + "-shm"] { _ = unsafe chmod(name, 0o600) }
    }

    /// Rejects a database that belongs to another program or to a newer version of this one.
    private static func inspect(_ path: String, configuration: Configuration) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { database in
            let identifier = try Int64.fetchOne(database, sql: "PRAGMA application_id")
            // The table of migrations is created before the first migration: a process that is killed in between leaves
            // only that table.
            let tables = "SELECT COUNT(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'"
            let isEmpty = try identifier == 0 && Int.fetchOne(database, sql: tables) == 0
            guard isEmpty || identifier == SQLiteSchema.applicationIdentifier else { throw StoreError.foreignDatabase }
            if try SQLiteSchema.migrator.hasBeenSuperseded(database) { throw StoreError.newerDatabase }
        }
    }
}
#endif
