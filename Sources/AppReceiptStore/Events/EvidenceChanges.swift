#if Server
/// The changes of a write, and why: the purchases whose events are recorded in the same commit.
///
/// An engine loads purchases into it before they change, and stores the purchases and events that result.
struct EvidenceChanges: Sendable {
    /// The purchases that were loaded, as the write changes them.
    private var purchases: [ScopedOriginal: StoredPurchase] = [:]
    /// The purchases with new evidence.
    private var touched: [ScopedOriginal: EventCause] = [:]
    /// The purchases whose account changed.
    private var bound: Set<ScopedOriginal> = []
    /// The purchases whose owner changed, also from none.
    private var transferred: [ScopedOriginal: (formerAccount: String?, cause: EventCause)] = [:]
    /// The forgotten purchases that an account submits again.
    private var submitted: Set<ScopedOriginal> = []
    /// The consents that were withdrawn.
    private var rescinded: [(scope: AppScope, cause: EventCause)] = []

    /// The purchase as the write changes it. One that isn't stored, or wasn't loaded, is empty.
    subscript(original: ScopedOriginal) -> StoredPurchase {
        get { purchases[original] ?? StoredPurchase(original: original) }
        set { purchases[original] = newValue }
    }

    /// Whether the purchase was loaded. A write loads each once, because it changes them in memory.
    func isLoaded(_ original: ScopedOriginal) -> Bool { purchases[original] != nil }

    /// The purchases with new evidence.
    var originals: some Collection<ScopedOriginal> { touched.keys }

    // MARK: Changes

    /// Adds a purchase with new evidence. Of several causes, a notification counts, then a transaction.
    mutating func touch(_ original: ScopedOriginal, because cause: EventCause) {
        if let known = touched[original], Self.rank(known) >= Self.rank(cause) { return }
        touched[original] = cause
    }

    /// Adds a consent that was withdrawn.
    mutating func rescindConsent(in scope: AppScope, because cause: EventCause) { rescinded.append((scope, cause)) }

    /// Binds a purchase to the account in signed data, and to the first account that submits it.
    ///
    /// - Parameters:
    ///   - original: The purchase.
    ///   - account: The account that submits it; nil for none.
    ///   - token: The signed `appAccountToken`; nil for none.
    ///   - cause: The evidence that names the purchase.
    /// - Returns: Whether the purchase belongs to an account other than the one that submits it.
    mutating func bind(
        _ original: ScopedOriginal, to account: Account?, appAccountToken token: AccountBinding.SignedToken?,
        because cause: EventCause
    ) -> Bool {
        let known = self[original]
        var binding = known.binding
        let isReplay = binding.bind(to: account, appAccountToken: token)
        set(binding, of: original, because: cause)
        if known.binding.account != binding.account { submit(original, because: cause) }
        return isReplay
    }

    /// Binds a purchase to an account that the back end names instead of the one that submitted it.
    ///
    /// - Returns: False if a signed `appAccountToken` of another account owns the purchase.
    mutating func rebind(_ original: ScopedOriginal, to account: Account, because cause: EventCause) -> Bool {
        var binding = self[original].binding
        guard binding.rebind(to: account) else { return false }
        set(binding, of: original, because: cause)
        submit(original, because: cause)
        return true
    }

    private mutating func set(_ binding: AccountBinding, of original: ScopedOriginal, because cause: EventCause) {
        let known = self[original].binding
        guard binding != known else { return }
        self[original].binding = binding
        bound.insert(original)
        guard binding.owner != known.owner else { return }
        // Of several transfers, it belonged to the first account.
        let former = transferred[original]
        transferred[original] = (former == nil ? known.owner : former?.formerAccount, cause)
    }

    /// Has a purchase reported like a new one if it was forgotten, because an account submits it.
    private mutating func submit(_ original: ScopedOriginal, because cause: EventCause) {
        guard self[original].state.isForgotten else { return }
        submitted.insert(original)
        touch(original, because: cause)
    }

    private static func rank(_ cause: EventCause) -> Int {
        switch cause.kind {
        case .notification: 4
        case .transaction: 3
        case .renewalInfo: 2
        case .receipt: 1
        case .appStore, .time, .request: 0
        }
    }

    // MARK: Results

    /// The purchases whose accounts changed.
    var boundPurchases: [StoredPurchase] { bound.sorted().map { self[$0] } }

    /// The events that come before those of ``comparison(at:)``: a purchase without an account has one before it
    /// changes, and what is new isn't transferred.
    ///
    /// - Parameter date: The current time.
    func events(at date: Int64) -> [EntitlementEvent] {
        rescinded.map { EntitlementEvent(type: .consentRescinded, date: date, scope: $0.scope, cause: $0.cause) }
            + transferred.sorted { $0.key < $1.key }.flatMap {
                self[$0.key].transfer(from: $0.value.formerAccount, because: $0.value.cause, at: date)
            }
    }

    /// The comparison of the purchases with new evidence, which must be loaded, except for those that were forgotten.
    ///
    /// - Parameter date: The current time.
    func comparison(at date: Int64) -> PurchaseComparison {
        PurchaseComparison(
            of: touched.keys.map { self[$0] }.filter { !$0.state.isForgotten || submitted.contains($0.original) },
            because: touched, at: date)
    }
}
#endif
