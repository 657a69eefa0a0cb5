import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Subscription {
    /// The state of a product at a date, and the period that determines it.
    struct ProductState {
        let state: Entitlement.State
        let period: Period
        let until: Date?
        /// The period of another product that replaced the product.
        var successor: Period.Successor?
        /// The reason for the expiration, from renewal information.
        var expirationIntent: Int64?
    }

    /// Returns the entitlements to the subscription's products at a date.
    ///
    /// - Parameter isNeeded: Whether an entitlement of a rank is needed. Others aren't created, because their texts are costly.
    func entitlements(
        at date: Date, _ dates: EvidenceDates, _ environment: ReceiptEnvironment.Base,
        where isNeeded: (Entitlement.Rank) -> Bool
    ) -> [Entitlement.Ranked] {
        positionsByProduct.compactMap { positions in
            guard let product = positions.first.flatMap({ periods[$0].product }),
                let productState = productState(positions, at: date, dates)
            else { return nil }
            let purchase = productState.period.purchase
            let reportedOriginal = purchase.reportedOriginal(in: environment)
            let rank = Entitlement.Rank(
                productIdentifier: product, kind: .subscription, state: productState.state, until: productState.until,
                originalTransactionIdentifier: reportedOriginal, transactionIdentifier: purchase.transactionIdentifier,
                start: productState.period.start)
            guard isNeeded(rank) else { return nil }
            return Entitlement.Ranked(
                rank: rank,
                entitlement: Entitlement(
                    productIdentifier: product, environment: environment, kind: .subscription,
                    state: productState.state, since: since(productState.period, among: positions),
                    until: productState.until, asOf: dates.asOf(original),
                    reason: productState.reason, nextStep: productState.nextStep,
                    originalTransactionIdentifier: reportedOriginal,
                    transactionIdentifier: purchase.transactionIdentifier,
                    willRenew: willRenew(productState),
                    quantity: quantity(productState, among: positions, at: date), ownership: purchase.ownership))
        }
    }

    /// The positions of the periods of each product, in the order of their starts. Those without a product are first.
    private var positionsByProduct: [ArraySlice<Int>] {
        let products = periods.map(\.product)
        var rest = Array(products.indices)[...]
        // Nearly all subscriptions have one product.
        if products.allSatisfy({ $0 == products[0] }) { return [rest] }
        // Sorting is stable.
        rest.sort { left, right in
            guard let other = products[right] else { return false }
            return products[left].map { $0 < other } ?? true
        }
        var groups: [ArraySlice<Int>] = []
        // A subscription group has few products.
        groups.reserveCapacity(min(rest.count, 8))
        while let first = rest.first {
            let group = rest.prefix { products[$0] == products[first] }
            groups.append(group)
            rest.removeFirst(group.count)
        }
        return groups
    }

    /// Returns whether the product will renew, nil if that isn't known.
    private func willRenew(_ productState: ProductState) -> Bool? {
        // The subscription renews with the product that replaced this one.
        if productState.state == .upgraded { return false }
        // A period that began after renewal was turned off is a new purchase.
        guard let renewal, renewal.willRenew != false || renewal.signedDate >= productState.period.start else {
            return nil
        }
        return renewal.willRenew
    }

    /// Returns the state that results from the period that contains the date, or from the last period before the date.
    ///
    /// - Parameter positions: The positions of the periods of one product, in the order of their starts.
    private func productState(
        _ positions: ArraySlice<Int>, at date: Date, _ dates: EvidenceDates
    ) -> ProductState? {
        // Loops, because a closure retains every property of the subscription.
        var end = positions.startIndex
        while end < positions.endIndex, periods[positions[end]].start <= date { end += 1 }
        let started = positions[..<end]
        guard let last = started.last else {
            return positions.first.map {
                let period = periods[$0]
                return ProductState(
                    state: .notStarted, period: period, until: period.isEndKnown ? period.expiration : nil)
            }
        }
        var active: (position: Int, accessEnd: Date)?
        for position in started where date < periods[position].expiration && periods[position].isActive(at: date) {
            let accessEnd = periods[position].accessEnd
            if active.map({ $0.accessEnd < accessEnd }) ?? true { active = (position, accessEnd) }
        }
        if let (position, accessEnd) = active {
            let period = periods[position]
            return ProductState(state: .active, period: period, until: min(period.expiration, accessEnd))
        }
        for position in started.reversed() where date < periods[position].expiration {
            return ended(periods[position], at: date, dates)
        }
        return ended(periods[last], at: date, dates)
    }

    /// Returns the state of a product whose period doesn't provide access at the date, except for its grace period.
    private func ended(_ period: Period, at date: Date, _ dates: EvidenceDates) -> ProductState {
        if let revocation = period.revocation, revocation.date <= date {
            return ProductState(
                state: state(revocation, of: period), period: period, until: revocation.date,
                successor: period.replacement)
        }
        if period.isUpgraded {
            let replacement = period.replacement
            return ProductState(state: .upgraded, period: period, until: replacement?.start, successor: replacement)
        }
        let successor = period.successor.flatMap { $0.start <= date ? $0 : nil }
        if let successor, successor.start <= period.endWithGrace {
            return ProductState(state: .upgraded, period: period, until: successor.start, successor: successor)
        }
        if period.isActive(at: date) {
            return ProductState(state: .gracePeriod, period: period, until: period.accessEnd)
        }
        if successor == nil, period.isSubjectOfRenewal, renewal?.isInBillingRetryPeriod == true,
            date < period.expiration.addingTimeInterval(Self.billingRetrySeconds)
        {
            return ProductState(state: .billingRetry, period: period, until: period.endWithGrace)
        }
        if period.isSubjectOfRenewal, let intent = renewal?.expirationIntent {
            return ProductState(state: .expired, period: period, until: period.endWithGrace, expirationIntent: intent)
        }
        if period.isEndKnown, dates.isLastPeriod(start: period.start, end: period.expiration, of: original) {
            return ProductState(state: .expired, period: period, until: period.endWithGrace)
        }
        let until = period.isEndKnown ? period.endWithGrace : nil
        if let successor { return ProductState(state: .upgraded, period: period, until: until, successor: successor) }
        return ProductState(state: .renewalUnknown, period: period, until: until)
    }

    /// The maximum time during which the App Store retries the payment after the end of the period.
    ///
    /// Source: Apple, Reducing involuntary subscriber churn.
    static let billingRetrySeconds: Double = 60 * 86_400

    private func state(_ revocation: Purchase.Revocation, of period: Period) -> Entitlement.State {
        let purchase = period.purchase
        return period.isUpgraded && revocation.isFromReceiptAlone || isUpgrade(revocation, of: purchase)
            ? .upgraded : purchase.revokedState
    }

    /// Returns whether a cancellation is an upgrade. Receipts don't distinguish it from a refund: it is an upgrade if another product begins in the
    /// same second, or if a token contains the upgrade.
    func isUpgrade(_ revocation: Purchase.Revocation, of purchase: Purchase) -> Bool {
        guard revocation.isFromReceiptAlone else { return false }
        return purchase.isUpgraded == true
            || hasStart(at: revocation.date.wholeSeconds, ofProductOtherThan: purchase.productIdentifier)
    }

    /// Returns the start of uninterrupted access: of the first of the adjoining periods that lead to this one.
    private func since(_ period: Period, among positions: ArraySlice<Int>) -> Date {
        var start = period.start
        for position in positions.reversed() {
            let earlier = periods[position]
            if earlier.start < start, earlier.accessEnd.wholeSeconds >= start.wholeSeconds { start = earlier.start }
        }
        return start
    }

    /// Returns the number of seats at the date if several transactions of the period buy seats, otherwise the quantity of the transaction.
    private func quantity(_ productState: ProductState, among positions: ArraySlice<Int>, at date: Date) -> Int {
        let end = productState.period.expiration.wholeSeconds
        let isRevoked = productState.period.isRevoked(by: date)
        let purchases = positions.lazy.map { periods[$0] }.filter {
            $0.expiration.wholeSeconds == end && ($0.start <= date || productState.state == .notStarted)
                && $0.isRevoked(by: date) == isRevoked
        }.map(\.purchase)
        guard purchases.contains(where: \.sharesPeriod) else { return productState.period.purchase.quantity ?? 1 }
        // Clamped because receipts may contain any number.
        return purchases.reduce(0) { $0 + Int(Int32(clamping: $1.quantity ?? 1)) - ($1.revokedSeatQuantity ?? 0) }
    }
}

extension Subscription.Period {
    fileprivate func isRevoked(by date: Date) -> Bool { revocation.map { $0.date <= date } ?? false }
}

extension Purchase {
    /// The state of a purchase after its revocation.
    var revokedState: Entitlement.State {
        revocation?.endsFamilySharing == true || ownership == .familyShared ? .revoked : .refunded
    }
}

extension Subscription.ProductState {
    /// The reason for the state.
    var reason: String {
        let end = ReceiptDate.string(from: period.endWithGrace)
        let at = until.map { " on \(ReceiptDate.string(from: $0))" } ?? ""
        switch state {
        case .active: return activeReason
        case .gracePeriod:
            return "The renewal couldn't be billed; the billing grace period runs until \(end)."
        case .billingRetry:
            let last = period.expiration.addingTimeInterval(Subscription.billingRetrySeconds)
            return
                "The period ended on \(ReceiptDate.string(from: period.expiration)) and the renewal couldn't be billed; "
                + "the App Store retries until \(ReceiptDate.string(from: last))."
        case .expired: return "The subscription ended on \(end) \(expirationCause)."
        case .upgraded:
            let product = successor?.product.map { "\"\($0)\"" } ?? "another product of the subscription"
            return "The customer changed to \(product)"
                + ((successor?.start ?? until).map { " on \(ReceiptDate.string(from: $0))" } ?? "") + "."
        case .notStarted: return "The first period begins on \(ReceiptDate.string(from: period.start))."
        case .refunded: return "Apple refunded the purchase\(at)."
        case .revoked: return "Family Sharing of the purchase ended\(at)."
        case .renewalUnknown, .owned:
            let ended =
                period.isEndKnown
                ? "The last known period ended on \(end)" : "The end of the last known period isn't known"
            return "\(ended), and the evidence doesn't show whether it was renewed."
        }
    }

    private var activeReason: String {
        let kind = period.purchase.isTrialPeriod == true ? "free trial" : "period"
        let end = until ?? period.expiration
        let text = "The \(kind) runs until \(ReceiptDate.string(from: end))"
        guard let successor = period.successor, successor.start == end, let product = successor.product else {
            return text + "."
        }
        return text + ", when \"\(product)\" replaces it."
    }

    private var expirationCause: String {
        switch expirationIntent {
        case 1: "because the customer canceled it"
        case 2: "because the renewal couldn't be billed"
        case 3: "because the customer didn't consent to a price increase"
        case 4: "because the product wasn't available for renewal"
        case nil: "and wasn't renewed, as a later receipt shows"
        default: "for an unknown reason"
        }
    }

    /// The next step for the app.
    var nextStep: String? {
        switch state {
        case .gracePeriod:
            "Keep access, and ask the customer to update the payment method in the App Store."
        case .billingRetry:
            "Remove access, and ask the customer to update the payment method in the App Store."
        case .renewalUnknown:
            "Request a new receipt, or the subscription's status from the App Store, before you decide about access."
        case .expired: "End access."
        case .upgraded: "Use the entitlement of the product that replaced it."
        case .notStarted: "Grant access when the period begins."
        case .refunded, .revoked: "Remove access."
        case .owned, .active: nil
        }
    }
}
