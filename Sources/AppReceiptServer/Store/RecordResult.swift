#if Server
/// What came of recording something. It is on disk when this is returned.
public struct RecordResult: Sendable, Hashable {
    /// Whether the data was stored, now or before. Data from Xcode and data that names no app aren't stored.
    public let isStored: Bool

    /// Whether the data contained something new. For a notification: whether its UUID was new.
    public let isNew: Bool

    /// What of it belongs to another account than the one that presented it.
    public let replays: [Replay]

    init(isNew: Bool, isStored: Bool = true, replays: [Replay] = []) {
        self.isNew = isNew
        self.isStored = isStored
        self.replays = replays
    }

    /// The data was known.
    static let known = RecordResult(isNew: false)

    /// The data isn't of a kind that is stored.
    static let notStored = RecordResult(isNew: false, isStored: false)

    /// A purchase that was presented by an account to which it does not belong.
    public struct Replay: Sendable, Hashable {
        /// The line: a subscription with all its periods, or something bought once.
        public let originalTransactionIdentifier: String
        /// The transaction, if one was presented and not a receipt.
        public let transactionIdentifier: String?
    }
}

extension RecordResult: CustomStringConvertible {
    /// Without identifiers.
    public var description: String { "RecordResult(isNew: \(isNew), \(replays.count) replays)" }
}

extension RecordResult.Replay: CustomStringConvertible {
    /// Without identifiers.
    public var description: String { "Replay(of \(transactionIdentifier == nil ? "a line" : "a transaction"))" }
}
#endif
