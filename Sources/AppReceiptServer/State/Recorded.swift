#if Server
/// What came of recording something. It is on disk when this is returned.
public struct Recorded: Sendable, Hashable {
    /// Whether it said something that was not known. Of a notification: whether it came for the first time.
    public let isNew: Bool

    /// What of it belongs to another account than the one that presented it.
    public let replays: [Replay]

    init(isNew: Bool, replays: [Replay] = []) {
        self.isNew = isNew
        self.replays = replays
    }

    /// It was known, or is nothing that the store keeps.
    static let nothing = Recorded(isNew: false)

    /// A purchase that was presented by an account to which it does not belong.
    public struct Replay: Sendable, Hashable {
        /// The line: a subscription with all its periods, or something bought once.
        public let originalTransactionIdentifier: String
        /// The transaction, if one was presented and not a receipt.
        public let transactionIdentifier: String?
    }
}

extension Recorded: CustomStringConvertible {
    /// Without identifiers.
    public var description: String { "Recorded(isNew: \(isNew), \(replays.count) replays)" }
}

extension Recorded.Replay: CustomStringConvertible {
    /// Without identifiers.
    public var description: String { "Replay(of \(transactionIdentifier == nil ? "a line" : "a transaction"))" }
}
#endif
