#if Server
/// What a write changed, and why: the purchases whose events are recorded in the same commit.
struct EvidenceChanges: Sendable {
    /// The purchases with new evidence.
    private(set) var touched: [ScopedOriginal: EventCause] = [:]
    /// The purchases whose owner changed, also from none.
    private(set) var transferred: [ScopedOriginal: EventCause] = [:]
    /// The forgotten purchases that an account submits again.
    private(set) var submitted: Set<ScopedOriginal> = []
    /// The consents that were withdrawn.
    private(set) var rescinded: [(scope: AppScope, cause: EventCause)] = []

    /// Adds a purchase with new evidence. Of several causes, a notification counts, then a transaction.
    mutating func touch(_ original: ScopedOriginal, because cause: EventCause) {
        if let known = touched[original], Self.rank(known) >= Self.rank(cause) { return }
        touched[original] = cause
    }

    /// Adds a forgotten purchase that an account submits again, so that it is reported like a new one.
    mutating func submit(_ original: ScopedOriginal, because cause: EventCause) {
        submitted.insert(original)
        touch(original, because: cause)
    }

    mutating func transfer(_ original: ScopedOriginal, because cause: EventCause) { transferred[original] = cause }

    mutating func rescindConsent(in scope: AppScope, because cause: EventCause) { rescinded.append((scope, cause)) }

    private static func rank(_ cause: EventCause) -> Int {
        switch cause.kind {
        case .notification: 4
        case .transaction: 3
        case .renewalInfo: 2
        case .receipt: 1
        case .appStore, .time, .request: 0
        }
    }
}
#endif
