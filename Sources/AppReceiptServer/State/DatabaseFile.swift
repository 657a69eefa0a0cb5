#if Server
// Where the compiler meets CoreFoundation first it takes `stat` for a part of that, which only Foundation makes visible.
import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The file of a database that is open. If somebody deletes or replaces it, the process goes on writing what nobody will
/// find again, and SQLite does not say so.
struct DatabaseFile: Sendable {
    private let path: String
    private let identity: Identity

    private struct Identity: Sendable, Equatable {
        let device: UInt64
        let number: UInt64

        /// Of what is at the path now, whatever links lead there; nil for nothing.
        init?(_ path: String) {
            var status = stat()
            guard unsafe stat(path, &status) == 0 else { return nil }
            device = UInt64(truncatingIfNeeded: status.st_dev)
            number = UInt64(truncatingIfNeeded: status.st_ino)
        }
    }

    /// The file that was just opened; nil if it cannot be looked at.
    init?(_ path: String) {
        guard let identity = Identity(path) else { return nil }
        self.path = path
        self.identity = identity
    }

    /// Whether it is still there, and the same.
    var isInPlace: Bool { Identity(path) == identity }
}
#endif
