#if Server
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

/// The files of an open database.
///
/// SQLite doesn't report if they are deleted or replaced: the process would continue to write to files that can't be
/// found.
struct DatabaseFile: Sendable {
    /// The database and the write-ahead log, which alone contains the newest writes.
    private let parts: [(path: String, identity: Identity)]

    private struct Identity: Sendable, Equatable {
        let device: UInt64
        let number: UInt64

        /// The identity of the file at the path, after following links; nil if there is none.
        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The files of a database with a write-ahead log, after its first write.
    init(_ path: String) throws(StoreError) {
        // SQLite creates the log in the folder of the file itself, not of a link to it.
        guard let real = unsafe realpath(path, nil) else { throw .cannotOpen }
        defer { unsafe free(real) }
        let log = unsafe String(cString: real) + "-wal"
        guard let file = Identity(path), let logIdentity = Identity(log) else { throw .cannotOpen }
        parts = [(path, file), (log, logIdentity)]
    }

    /// The bytes that the disk has for the files of this process; nil if the system doesn't say.
    var freeBytes: Int? {
        var status = statvfs()
        guard let database = parts.first, unsafe statvfs(database.path, &status) == 0 else { return nil }
        return Int(clamping: UInt64(status.f_bavail)).multipliedReportingOverflow(by: Int(clamping: status.f_frsize))
            .partialValue
    }

    /// Whether the files are still there and the same.
    var isInPlace: Bool { parts.allSatisfy { Identity($0.path) == $0.identity } }
}
#endif
