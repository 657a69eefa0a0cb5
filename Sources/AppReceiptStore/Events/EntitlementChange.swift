#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// An entitlement as it was last reported: its JSON, and the members that are compared.
struct ReportedEntitlement: Sendable, Hashable {
    /// The JSON of the entitlement.
    let json: AppStoreJSON

    init(_ entitlement: Entitlement) { json = entitlement.json }

    /// - Parameter json: The JSON of an entitlement that was reported.
    init(stored json: AppStoreJSON) { self.json = json }

    private func member(_ name: String) -> AppStoreJSON? { json.object?[name] }

    /// A date without its milliseconds, which tokens contain and receipts don't.
    private func second(_ name: String) -> Date? {
        member(name)?.string.flatMap { RFC3339.date(from: $0)?.roundedDownToSecond }
    }

    var product: String? { member("productIdentifier")?.string }
    var transaction: String? { member("transactionIdentifier")?.string }
    var state: Entitlement.State? { member("state")?.string.flatMap { Entitlement.State(rawValue: $0) } }
    var isActive: Bool { member("isActive")?.boolean ?? false }
    var until: Date? { second("until") }
    var willRenew: Bool? { member("willRenew")?.boolean }
    var quantity: Int64 { member("quantity")?.number?.int64 ?? 1 }
    var refundedPercentage: Double? { member("refundedPercentage")?.number?.double }

    /// The part that stays the same while the entitlement changes: nothing for the current product of a purchase, the
    /// transaction for a consumable or non-renewing subscription.
    private var key: String {
        let kind = member("kind")?.string.flatMap { Entitlement.Kind(rawValue: $0) }
        return kind?.hasOneEntitlement == false ? transaction ?? "" : ""
    }

    /// The position of this entitlement, as it was, among those of the purchase that were reported; nil if it wasn't.
    func position(in reported: [ReportedEntitlement]) -> Int? {
        // A transaction has another key once a newer token states that it is of a consumable.
        reported.firstIndex { $0.key == key }
            ?? transaction.flatMap { transaction in reported.firstIndex { $0.transaction == transaction } }
    }

    /// Whether both are the same to a consumer of events. Details that only become known, such as the ownership, aren't
    /// a change.
    func isEquivalent(to other: ReportedEntitlement) -> Bool {
        Self.comparedMembers.allSatisfy { member($0) == other.member($0) }
            && Self.comparedDates.allSatisfy { second($0) == other.second($0) }
    }

    private static let comparedMembers = [
        "productIdentifier", "isActive", "state", "transactionIdentifier", "quantity", "refundedPercentage",
    ]
    private static let comparedDates = ["since", "until"]
}

/// The events that a change of one entitlement consists of.
enum EntitlementChange {
    /// Returns the types of the events, in their order.
    ///
    /// - Parameters:
    ///   - before: The entitlement as it was reported; nil if it never was.
    ///   - after: The entitlement now.
    ///   - isByTime: Whether only time changed it.
    static func types(
        from before: ReportedEntitlement?, to after: ReportedEntitlement, isByTime: Bool
    ) -> [EntitlementEventType] {
        guard let before else { return type(of: after.state).map { [$0] } ?? [] }
        var types: [EntitlementEventType] = []
        let change = typeOfChange(from: before, to: after, isByTime: isByTime)
        if let change { types.append(change) }
        if after.isActive, before.isActive || change == .renewed, let was = before.willRenew,
            let willBe = after.willRenew, was != willBe, change != .productChanged
        {
            types.append(willBe ? .renewalTurnedOn : .renewalTurnedOff)
        }
        if change == nil, after.quantity != before.quantity, after.refundedPercentage == before.refundedPercentage {
            types.append(.seatsChanged)
        }
        // Reported again, so that the last event of a purchase has its entitlement in every order of arrival.
        if types.isEmpty, !after.isEquivalent(to: before) { return type(of: after.state).map { [$0] } ?? [] }
        return types
    }

    /// The type of the first event of a purchase in this state. Nothing is reported of what hasn't started.
    private static func type(of state: Entitlement.State?) -> EntitlementEventType? {
        switch state {
        case .owned, .active: .activated
        case .gracePeriod: .enteredGracePeriod
        case .billingRetry: .enteredBillingRetry
        case .expired, .renewalUnknown: .expired
        case .refunded: .refunded
        case .revoked: .revoked
        case .upgraded: .productChanged
        case .notStarted, nil: nil
        }
    }

    /// The type of a change, but for those of the renewal and of the number of seats; nil if it has none.
    private static func typeOfChange(
        from before: ReportedEntitlement, to after: ReportedEntitlement, isByTime: Bool
    ) -> EntitlementEventType? {
        let isSameProduct = before.product == after.product
        switch (before.state, after.state) {
        case (_, .refunded) where !isSameProduct, (_, .revoked) where !isSameProduct: return type(of: after.state)
        case _ where !isSameProduct: return .productChanged
        case (let was, let now) where was == now: return typeOfChange(withinState: before, to: after)
        // What is revoked otherwise isn't given back, and another transaction is another purchase.
        case (.refunded, .revoked), (.refunded, .upgraded): return type(of: after.state)
        case (.refunded, _): return before.transaction == after.transaction ? .refundReversed : type(of: after.state)
        case (.expired, .active), (.revoked, .active), (.notStarted, .active), (.upgraded, .active): return .activated
        case (_, .active): return .renewed
        case (_, .billingRetry) where isByTime: return .expired
        default: return type(of: after.state)
        }
    }

    /// The type of a change after which the product and the state are the same.
    private static func typeOfChange(
        withinState before: ReportedEntitlement, to after: ReportedEntitlement
    ) -> EntitlementEventType? {
        switch (before.refundedPercentage, after.refundedPercentage) {
        case (nil, _?): return .refunded
        case (_?, nil): return .refundReversed
        case (let was?, let now?) where now > was: return .refunded
        default: break
        }
        // A later end of a grace period doesn't renew anything.
        guard after.isActive, after.state != .gracePeriod, let end = after.until else { return nil }
        return before.until.map { $0 < end } ?? (before.state != .owned) ? .renewed : nil
    }
}
#endif
