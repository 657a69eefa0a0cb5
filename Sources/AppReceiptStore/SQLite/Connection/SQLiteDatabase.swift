#if Server
import AppReceiptFoundation
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
            // Otherwise SQLite creates its own files with the same permissions, which stay when these are corrected.
            guard unsafe access(path, R_OK | W_OK) == 0 else {
                throw unsafe access(path, R_OK) == 0 ? StoreError.notWritable : .cannotOpen
            }
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

    /// Moves the write-ahead log into the database, so that a copy of its file alone is complete.
    ///
    /// Doesn't wait: the checkpoint would have the lock of writers while it waits for readers in other processes.
    ///
    /// - Throws: An error if another connection writes, or still reads an older state.
    static func emptyLog(of database: Database) throws {
        try database.execute(sql: "PRAGMA busy_timeout = 0")
        try database.checkpoint(.truncate)
    }

    /// Whether the next start creates or migrates the database. Changes nothing.
    static func migration(of path: String) throws(StoreError) -> PendingMigration? {
        guard FileManager.default.fileExists(atPath: path) else { return .creation }
        guard let reader = try checkedReader(at: path) else {
            return isEmptyFile(path) ? .creation : .migration
        }
        try? reader.close()
        return nil
    }

    private static func isEmptyFile(_ path: String) -> Bool {
        var status = stat()
        return unsafe stat(path, &status) == 0 && status.st_size == 0
    }

    /// Copies a database into a new file while servers write, and checks the copy.
    ///
    /// - Parameters:
    ///   - path: The database, which isn't migrated.
    ///   - copy: The new file, readable only by its owner.
    ///   - progress: Called with the copied and all pages.
    /// - Throws: `cannotOpen` if the copy exists or can't be created; `damaged` if the copy is.
    static func backup(
        _ path: String, to copy: String, progress: @escaping (_ done: Int, _ all: Int) -> Void
    ) throws(StoreError) {
        let configuration = configuration(.timeout(5))
        do {
            try inspect(path, configuration: configuration)
            let file = unsafe open(copy, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            guard file >= 0 else { throw StoreError.cannotOpen }
            close(file)
        } catch {
            throw StoreError(sqlite: error)
        }
        do {
            let source = try DatabaseQueue(path: path, configuration: configuration)
            let target = try DatabaseQueue(path: copy, configuration: configuration)
            try source.read { source in
                // Now the transaction has begun: what servers write meanwhile neither waits nor is in the copy.
                _ = try Int.fetchOne(source, sql: "SELECT COUNT(*) FROM sqlite_master")
                try target.writeWithoutTransaction { target in
                    try source.backup(to: target, pagesPerStep: 1024) {
                        progress($0.completedPageCount, $0.totalPageCount)
                    }
                }
            }
            try target.close()
            try source.close()
            try check(copy, configuration: configuration)
        } catch {
            // What isn't complete must not be mistaken for a backup.
            for name in [copy, copy + "-wal", copy + "-shm", copy + "-journal"] { _ = unsafe unlink(name) }
            throw StoreError(sqlite: error)
        }
    }

    /// Checks the integrity of a copy that nothing uses.
    private static func check(_ copy: String, configuration: Configuration) throws {
        var configuration = configuration
        configuration.readonly = true
        let queue = try DatabaseQueue(path: unusedDatabase(at: copy) ?? copy, configuration: configuration)
        defer { try? queue.close() }
        guard try queue.read({ try String.fetchAll($0, sql: "PRAGMA integrity_check") }) == ["ok"] else {
            throw StoreError.damaged
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
