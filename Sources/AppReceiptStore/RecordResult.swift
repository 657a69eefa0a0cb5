#if Server
/// The result of recording evidence. The evidence is on disk when the result is returned.
public struct RecordResult: Sendable, Hashable {
    /// Whether all of it was stored, now or before. Data from Xcode and data without an app aren't stored.
    public private(set) var isStored: Bool

    /// The number of receipts, transactions and so on that contained something new. A notification is new if its UUID
    /// is.
    public private(set) var newCount: Int

    /// The purchases that are bound to an account other than the one that submitted them.
    public private(set) var replays: [Replay]

    /// The original transactions of the replays, in order.
    package var replayedOriginals: [String] { Set(replays.map(\.originalTransactionIdentifier)).sorted() }

    /// Whether the evidence contained something new.
    public var isNew: Bool { newCount > 0 }

    package init(isNew: Bool, isStored: Bool = true, replays: [Replay] = []) {
        newCount = isNew ? 1 : 0
        self.isStored = isStored
        self.replays = replays
    }

    /// The evidence was known.
    package static let known = RecordResult(isNew: false)

    /// The evidence isn't of a kind that is stored.
    package static let notStored = RecordResult(isNew: false, isStored: false)

    /// Adds the result of recording more evidence.
    package mutating func add(_ other: RecordResult) {
        isStored = isStored && other.isStored
        newCount += other.newCount
        replays += other.replays
    }

    /// A purchase that was submitted by an account other than the one to which it is bound.
    public struct Replay: Sendable, Hashable {
        /// The original transaction: a subscription with all its periods, or a single purchase.
        public let originalTransactionIdentifier: String
        /// The transaction; nil if a receipt or renewal information was submitted.
        public let transactionIdentifier: String?

        package init(originalTransactionIdentifier: String, transactionIdentifier: String? = nil) {
            self.originalTransactionIdentifier = originalTransactionIdentifier
            self.transactionIdentifier = transactionIdentifier
        }
    }
}

extension RecordResult: CustomStringConvertible {
    /// A description without identifiers.
    public var description: String { "RecordResult(newCount: \(newCount), \(replays.count) replays)" }
}

extension RecordResult.Replay: CustomStringConvertible {
    /// A description without identifiers.
    public var description: String {
        "Replay(of \(transactionIdentifier == nil ? "an original transaction" : "a transaction"))"
    }
}
#endif
