import AppReceiptSupport

#if Server && canImport(CoreFoundation)
// The compiler attributes `stat` to whichever module it loads first.
import CoreFoundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The file of a private key.
enum KeyFile {
    /// The warning about a file that every user of the computer can read or replace; nil for others.
    ///
    /// Permissions for the group only are treated as intended, as for the database.
    static func warning(about path: String) -> String? {
        var status = stat()
        guard path != "-", unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        guard status.st_mode & 0o006 != 0 else { return nil }
        return
            "Every user of this computer can read or change the private key in \(path). Restrict it: chmod 600 \(path)"
    }
}
