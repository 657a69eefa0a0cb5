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

/// Opens the database and brings it up to date.
enum StoreDatabase {
    /// - Parameters:
    ///   - path: the file, which is made if it is not there; nil for one in memory.
    ///   - patience: how many seconds to wait for another process that holds the database.
    static func writer(at path: String?, patience: Double = 5) throws(StoreError) -> any DatabaseWriter {
        let configuration = configuration(patience)
        do {
            guard let path else {
                let queue = try DatabaseQueue(configuration: configuration)
                try StoreSchema.migrator.migrate(queue)
                return queue
            }
            try make(path)
            // Before anything of it is changed, as a pool would change the journal.
            try inspect(path, configuration)
            protect(path)
            let pool = try DatabasePool(path: path, configuration: configuration)
            // The pool chooses NORMAL when it turns the write-ahead log on, after the configuration was applied.
            try pool.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
            try StoreSchema.migrator.migrate(pool)
            return pool
        } catch {
            throw StoreError(error)
        }
    }

    private static func configuration(_ patience: Double) -> Configuration {
        var configuration = Configuration()
        configuration.label = "AppReceiptServer"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(patience)
        configuration.prepareDatabase { database in
            try database.execute(sql: "PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF")
        }
        return configuration
    }

    /// Makes the file so that its owner alone can read it; SQLite gives the files beside it the same permissions.
    private static func make(_ path: String) throws(StoreError) {
        let file = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if file >= 0 {
            close(file)
            return
        }
        guard errno == EEXIST else { throw .cannotOpen }
        var status = stat()
        guard unsafe stat(path, &status) != 0 else { return }
        // A link to nothing, through which SQLite would make a file with the permissions that the system gives any.
        let target = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard target >= 0 else { throw .cannotOpen }
        close(target)
    }

    /// Makes a database that everybody may read or write its owner's alone, with the files beside it: that is how programs
    /// make files that say nothing of it. One that is open to its group and to nobody else is somebody's intention, and
    /// stays; so does what the process may not change.
    ///
    /// By name, and after it is known to be a database of this program: to close a file takes the process's locks from it.
    private static func protect(_ path: String) {
        guard let real = unsafe realpath(path, nil) else { return }
        defer { unsafe free(real) }
        let file = unsafe String(cString: real)
        var status = stat()
        guard unsafe stat(file, &status) == 0, status.st_mode & 0o007 != 0 else { return }
        for name in [file, file + "-wal", file + "-shm"] { _ = unsafe chmod(name, 0o600) }
    }

    /// Refuses what belongs to another program or to a newer version of this one.
    private static func inspect(_ path: String, _ configuration: Configuration) throws {
        let queue = try DatabaseQueue(path: path, configuration: configuration)
        defer { try? queue.close() }
        try queue.read { database in
            let identifier = try Int64.fetchOne(database, sql: "PRAGMA application_id")
            // The list of migrations is made before the first of them: a process that is killed between leaves it alone.
            let tables = "SELECT COUNT(*) FROM sqlite_master WHERE tbl_name <> 'grdb_migrations'"
            let isEmpty = try identifier == 0 && Int.fetchOne(database, sql: tables) == 0
            guard isEmpty || identifier == StoreSchema.applicationIdentifier else { throw StoreError.foreignDatabase }
            if try StoreSchema.migrator.hasBeenSuperseded(database) { throw StoreError.newerDatabase }
        }
    }
}
#endif
