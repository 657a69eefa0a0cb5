#if Server
import AppReceiptKit

/// The stored values of a purchase beside its evidence: its account, and what was reported of it.
struct StoredPurchase: Sendable, Hashable {
    let original: ScopedOriginal
    var binding = AccountBinding()
    var state = PurchaseState()

    /// Whether the purchase has an account, or something was reported of it.
    var isKnown: Bool { binding.owner != nil || !state.entitlements.isEmpty }

    /// Returns the events of a transfer to the purchase's account, none if nothing was reported.
    ///
    /// - Parameters:
    ///   - formerAccount: The account that owned the purchase before; nil for none.
    ///   - cause: What transferred it.
    ///   - date: The current time.
    func transfer(from formerAccount: String?, because cause: EventCause, at date: Int64) -> [EntitlementEvent] {
        state.entitlements.map {
            event(.transferred, from: $0, to: $0, at: date, formerAccount: formerAccount, because: cause)
        }
    }

    /// Replaces the entitlements that were reported by the current ones, and returns the events of what changed.
    ///
    /// - Parameters:
    ///   - entitlements: The current entitlements.
    ///   - due: When time alone may change them; nil for never.
    ///   - cause: What changed them.
    ///   - date: The date at which they apply.
    mutating func report(
        _ entitlements: [ReportedEntitlement], due: Int64?, because cause: EventCause, at date: Int64
    ) -> [EntitlementEvent] {
        var known = state.entitlements
        var events: [EntitlementEvent] = []
        for after in entitlements {
            let position = after.position(in: known)
            let before = position.map { known[$0] }
            events += EntitlementChange.types(from: before, to: after, isByTime: cause.kind == .time).map {
                event($0, from: before, to: after, at: date, because: cause)
            }
            if let position {
                known[position] = after
            } else if after.state != .notStarted {
                known.append(after)
            }
        }
        state = PurchaseState(known, due: due)
        return events
    }

    /// The purchase as it was reported; nil if nothing was.
    var reported: ReportedPurchase? {
        let entitlements = state.entitlements.map(\.json)
        guard !entitlements.isEmpty else { return nil }
        return ReportedPurchase(original: original, account: binding.owner, entitlements: entitlements)
    }

    private func event(
        _ type: EntitlementEventType, from before: ReportedEntitlement?, to after: ReportedEntitlement, at date: Int64,
        formerAccount: String? = nil, because cause: EventCause
    ) -> EntitlementEvent {
        EntitlementEvent(
            type: type, date: date, scope: original.scope, account: binding.owner, formerAccount: formerAccount,
            productIdentifier: after.product, originalTransactionIdentifier: original.originalTransactionIdentifier,
            before: before?.json.jsonText, after: after.json.jsonText, cause: cause)
    }
}
#endif
