import AppReceiptFoundation

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

/// The priorities of the systemd journal, which otherwise stores every line of standard error as `info`. See
/// sd-daemon(3).
enum JournalPriority: Int {
    case critical = 2
    case error, warning, notice, info, debug

    /// What a line begins with; empty if standard error isn't the journal.
    var prefix: String { Self.isJournal ? "<\(rawValue)>" : "" }

    /// Whether standard error is the journal. See `JOURNAL_STREAM` in systemd.exec(5).
    private static let isJournal: Bool = {
        var status = stat()
        guard let stream = ProcessInfo.processInfo.environment["JOURNAL_STREAM"], unsafe fstat(2, &status) == 0
        else { return false }
        return stream == "\(status.st_dev):\(status.st_ino)"
    }()
}
