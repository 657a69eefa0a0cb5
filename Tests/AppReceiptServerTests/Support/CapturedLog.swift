#if Server
import AppReceiptKit
import Logging
import AppReceiptSupport

/// Captures the log of a server.
final class CapturedLog: Sendable {
    private let lines = LockedValueBox<[String]>([])

    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    /// A logger that captures every level.
    var logger: Logger {
        var logger = Logger(label: "test") { _ in Handler(log: self) }
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let log: CapturedLog
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let fields = metadata.merging(event.metadata ?? [:]) { $1 }
            log.lines.withLock { $0.append("\(event.level) \(event.message) \(fields)") }
        }
    }
}
#endif
