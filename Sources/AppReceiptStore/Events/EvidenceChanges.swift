#if Server
/// What a write changed, and why: the purchases whose events are recorded in the same commit.
struct EvidenceChanges: Sendable {
    /// The purchases with new evidence.
    private(set) var touched: [ScopedOriginal: EventCause] = [:]
    /// The purchases whose owner changed, also from none.
    private(set) var transferred: [ScopedOriginal: Transfer] = [:]
    /// The forgotten purchases that an account submits again.
    private(set) var submitted: Set<ScopedOriginal> = []
    /// The consents that were withdrawn.
    private(set) var rescinded: [(scope: AppScope, cause: EventCause)] = []

    /// A change of a purchase's owner.
    struct Transfer: Sendable {
        /// The owner before; nil for none.
        let formerAccount: String?
        let cause: EventCause
    }

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

    /// Adds a purchase that belonged to another account, or to none. Of several transfers, it belonged to the first.
    mutating func transfer(_ original: ScopedOriginal, from account: String?, because cause: EventCause) {
        let known = transferred[original]
        transferred[original] = Transfer(
            formerAccount: known == nil ? account : known?.formerAccount, cause: cause)
    }

    /// Adds a consent that was withdrawn.
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
