#if Server
/// The result of recording data. The data is on disk when the result is returned.
public struct RecordResult: Sendable, Hashable {
    /// Whether the data was stored, now or before. Data from Xcode and data without an app aren't stored.
    public let isStored: Bool

    /// Whether the data contained something new. For a notification: whether its UUID was new.
    public let isNew: Bool

    /// The purchases that are bound to an account other than the one that submitted them.
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

    /// A purchase that was submitted by an account other than the one to which it is bound.
    public struct Replay: Sendable, Hashable {
        /// The original transaction: a subscription with all its periods, or a single purchase.
        public let originalTransactionIdentifier: String
        /// The transaction; nil if a receipt was submitted.
        public let transactionIdentifier: String?
    }
}

extension RecordResult: CustomStringConvertible {
    /// A description without identifiers.
    public var description: String { "RecordResult(isNew: \(isNew), \(replays.count) replays)" }
}

extension RecordResult.Replay: CustomStringConvertible {
    /// A description without identifiers.
    public var description: String {
        "Replay(of \(transactionIdentifier == nil ? "an original transaction" : "a transaction"))"
    }
}
#endif
