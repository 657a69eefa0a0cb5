#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import Logging

#if canImport(Glibc)
@unsafe @preconcurrency import Glibc
#elseif canImport(Musl)
@unsafe @preconcurrency import Musl
#else
import Darwin
#endif

/// Writes a log as text to standard error, like `StreamLogHandler`.
///
/// `StreamLogHandler` formats metadata whenever it is set, which happens for every request. This handler formats it
/// only for messages that are logged.
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
        stream.metadata = metadata.withServerNames
        stream.metadataProvider = metadataProvider
        // One line for the journal: nothing else may come between.
        unsafe flockfile(stderr)
        unsafe fputs(event.level.journalPrefix, stderr)
        stream.log(event: event)
        unsafe funlockfile(stderr)
    }
}

/// Writes a log with one JSON object per line, `{"time", "level", "message", …}` and the metadata, to standard error.
struct JSONLogHandler: LogHandler {
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?
    var logLevel: Logger.Level = .info

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var object: AppStoreJSON.Object = [
            "time": .string(RFC3339.string(from: Date())),
            "level": .string(event.level.rawValue), "message": .string("\(event.message)"),
        ]
        let fields = metadata.merging(metadataProvider?.get() ?? [:]) { $1 }.merging(event.metadata ?? [:]) { $1 }
        for (name, value) in fields.withServerNames.sorted(by: { $0.key < $1.key }) { object[name] = Self.json(value) }
        // One write for each line, so that lines of several threads don't mix.
        _ = Terminal.send(Array(event.level.journalPrefix.utf8) + JSONOutput.line(object), to: 2)
    }

    /// Returns the JSON of a value: a number as a number, anything else as text.
    private static func json(_ value: Logger.Metadata.Value) -> AppStoreJSON {
        guard case .stringConvertible(let value) = value, let number = (value as? any FixedWidthInteger)?.asInt64 else {
            return .string("\(value)")
        }
        return .number(AppStoreJSON.Number(number))
    }
}

extension Logger.Level {
    /// What a line of this level begins with in the journal.
    fileprivate var journalPrefix: String {
        let priority: JournalPriority =
            switch self {
            case .trace, .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
        return priority.prefix
    }
}

extension FixedWidthInteger {
    /// The value; nil if it is too large.
    fileprivate var asInt64: Int64? { Int64(exactly: self) }
}

extension Logger.Metadata {
    /// The metadata with the name of the response's header for the identifier of the request, which Hummingbird sets.
    fileprivate var withServerNames: Logger.Metadata {
        var metadata = self
        if let identifier = metadata.removeValue(forKey: "hb.request.id") { metadata["request-id"] = identifier }
        return metadata
    }
}
#endif
