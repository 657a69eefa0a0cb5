#if Server
#if canImport(CoreFoundation)
// The compiler attributes `open` to whichever module it loads first.
import CoreFoundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// A lock that one process holds while it creates, opens and migrates a database, so that servers that start together
/// wait for each other.
///
/// A file of its own beside the database: to close another descriptor of the database would release SQLite's locks. The
/// file stays, because a process that removed it could remove the lock of another one.
///
/// It gets the owner, the group and the permissions of the database, as SQLite's own files do: root may open the
/// database of a server that runs as another user. A file that still can't be opened isn't an obstacle, because SQLite
/// locks each transaction anyway: servers that start together may then get `locked`.
struct OpeningLock: ~Copyable {
    /// The open file; nil if it can't be opened.
    private let descriptor: Int32?

    private static let pauseMicroseconds: UInt32 = 20_000
    /// Ten minutes: the migration of a large database takes minutes.
    private static let maxAttempts = 30_000

    /// Waits for the lock.
    ///
    /// - Parameter database: The path of the database. A link and its target have the same lock.
    /// - Throws: `locked` if another process holds the lock for ten minutes.
    init(_ database: String) throws(StoreError) {
        var path = database
        if let real = unsafe realpath(database, nil) {
            path = unsafe String(cString: real)
            unsafe free(real)
        }
        let file = Self.openFile(path + "-lock", beside: path)
        descriptor = file
        guard let file else { return }
        var attempts = 0
        while flock(file, LOCK_EX | LOCK_NB) != 0 {
            attempts += 1
            // The deinitializer closes the file.
            guard errno == EWOULDBLOCK || errno == EINTR, attempts < Self.maxAttempts else { throw .locked }
            usleep(Self.pauseMicroseconds)
        }
    }

    deinit {
        if let descriptor { close(descriptor) }
    }

    /// Opens the file, and creates it if necessary; nil if that isn't possible.
    private static func openFile(_ path: String, beside database: String) -> Int32? {
        let created = unsafe open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard created < 0 else {
            var status = stat()
            if unsafe stat(database, &status) == 0 {
                // Without the permission to do so, the file stays this user's.
                _ = fchown(created, status.st_uid, status.st_gid)
                _ = fchmod(created, status.st_mode & 0o660)
            }
            return created
        }
        let file = unsafe open(path, O_RDWR | O_CLOEXEC)
        return file >= 0 ? file : nil
    }
}
#endif
