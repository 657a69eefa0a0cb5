#if Server
import Logging

/// Writes a log as text to standard error, like `StreamLogHandler`.
///
/// `StreamLogHandler` formats metadata whenever it is set, which happens for every request. This handler formats it only for messages that
/// are logged.
struct TextLogHandler: LogHandler {
    private let stream: StreamLogHandler
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .info

    init(label: String) { stream = StreamLogHandler.standardError(label: label) }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var stream = stream
        stream.metadata = metadata
        stream.metadataProvider = metadataProvider
        stream.log(event: event)
    }
}
#endif
