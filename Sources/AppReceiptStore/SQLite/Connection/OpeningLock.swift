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
struct OpeningLock: ~Copyable {
    private let descriptor: Int32

    private static let pauseMicroseconds: UInt32 = 20_000
    /// Ten minutes: the migration of a large database takes minutes.
    private static let maxAttempts = 30_000

    /// Waits for the lock.
    ///
    /// - Parameter database: The path of the database. A link and its target have the same lock.
    /// - Throws: `cannotOpen` if the file can't be created, `locked` if another process holds the lock for ten minutes.
    init(_ database: String) throws(StoreError) {
        var path = database
        if let real = unsafe realpath(database, nil) {
            path = unsafe String(cString: real)
            unsafe free(real)
        }
        descriptor = unsafe open(path + "-lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .cannotOpen }
        var attempts = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            attempts += 1
            // The deinitializer closes the file.
            guard errno == EWOULDBLOCK || errno == EINTR, attempts < Self.maxAttempts else { throw .locked }
            usleep(Self.pauseMicroseconds)
        }
    }

    deinit { close(descriptor) }
}
#endif
