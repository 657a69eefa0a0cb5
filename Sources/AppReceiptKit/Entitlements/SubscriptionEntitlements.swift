import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

/// The entitlements to the products of one subscription at a date: rules 4 to 7, 10 and 13 of WhatACustomerOwns.
struct SubscriptionEntitlements {
    private let subscription: Subscription
    private let context: EvaluationContext
    /// The periods that begin later, of all products.
    private let later: ArraySlice<Subscription.Period>

    init(to subscription: Subscription, in context: EvaluationContext) {
        self.subscription = subscription
        self.context = context
        let date = context.date
        later = subscription.periods[(subscription.periods.lastIndex { $0.start <= date }.map { $0 + 1 } ?? 0)...]
    }

    private var date: Date { context.date }
    private var renewal: RenewalEvidence? { subscription.renewal }

    /// The state of a product, and the period that determines it.
    private struct ProductState {
        let state: Entitlement.State
        let period: Subscription.Period
        var until: Date?
        var basis = Entitlement.Basis()
        /// Whether the period begins later, after one that the evidence doesn't contain.
        var followsUnknownPeriod = false
    }

    /// Calls a closure with the entitlement to each product.
    func forEach(_ body: (Entitlement) -> Void) {
        var groups: [[Subscription.Period]] = []
        groups.reserveCapacity(min(subscription.periods.count, 8))
        for period in subscription.periods {
            let product = period.product
            // A subscription group has few products.
            if let index = groups.firstIndex(where: { $0[0].product == product }) {
                groups[index].append(period)
            } else {
                groups.append([period])
            }
        }
        for periods in groups {
            if let product = periods[0].product { body(entitlement(to: product, periods)) }
        }
    }

    private func entitlement(to product: ExactString, _ periods: [Subscription.Period]) -> Entitlement {
        let productState = state(of: product, periods)
        let (period, transaction) = (productState.period, productState.period.transaction)
        let renewing = renewing(product, in: productState)
        var basis = productState.basis
        basis.start = period.start
        basis.end = period.isEndKnown ? period.expiration : nil
        basis.endWithGrace = period.knownEnd
        basis.isTrial = transaction.isTrialPeriod == true
        basis.followsUnknownPeriod = productState.followsUnknownPeriod
        return Entitlement(
            productIdentifier: product.text, environment: context.environment, kind: .subscription,
            isActive: productState.state == .active || productState.state == .gracePeriod, state: productState.state,
            since: productState.followsUnknownPeriod ? nil : since(period, among: periods), until: productState.until,
            asOf: context.dates.asOf(subscription.original),
            originalTransactionIdentifier: transaction.reportedOriginal(in: context.environment),
            transactionIdentifier: transaction.transactionIdentifier, willRenew: renewing.isOn,
            renewsAs: renewing.product, quantity: quantity(productState, among: periods),
            refundedPercentage: Entitlement.refundedPercentage(period.isRevoked(by: date) ? period.revocation : nil),
            ownership: transaction.ownership, commitment: transaction.commitment,
            items: Entitlement.items(of: transaction, at: date), basis: basis)
    }

    /// Returns the state that results from the period that contains the date, or from the last period before the date
    /// (rule 7 of WhatACustomerOwns).
    ///
    /// - Parameter periods: The periods of one product, in the order of their starts.
    private func state(of product: ExactString, _ periods: [Subscription.Period]) -> ProductState {
        let started = periods.prefix { $0.start <= date }
        let running = started.lazy.filter { date < $0.expiration && $0.isActive(at: date) }
        if let period = running.max(by: { $0.accessEnd < $1.accessEnd }) {
            return ProductState(
                state: .active, period: period, until: min(period.expiration, period.accessEnd),
                basis: Entitlement.Basis(successor: period.next(after: date)))
        }
        if let next = renewedEarly, next.product == product {
            return ProductState(
                state: .active, period: next, until: min(next.accessEnd, next.revocation?.date ?? next.accessEnd),
                followsUnknownPeriod: true)
        }
        if let interrupted = started.last(where: { date < $0.expiration }) { return ended(interrupted) }
        if let last = started.last { return ended(last) }
        return notStarted(periods[0])
    }

    /// The next period, if the App Store renewed the subscription early (rule 7 of WhatACustomerOwns). The period
    /// before it isn't in the evidence.
    private var renewedEarly: Subscription.Period? {
        guard let next = later.first(where: { $0.isUnrevoked(at: date) }),
            next.start <= date + Self.maxEarlySeconds, hasRun(before: next), !next.isUpgraded
        else { return nil }
        let earlier = subscription.periods.prefix { $0.start < next.start }.filter(\.hasRun)
        guard let end = earlier.map(\.endWithGrace).max() else { return next }
        // After a known period, only a token that was signed between its end and the next one proves that another one
        // ran.
        return date >= end && next.isSignedEarly(after: end) ? next : nil
    }

    /// The App Store renews up to 24 hours before the period ends. Source: Apple, Handling subscriptions billing. An
    /// hour more for clocks.
    static let maxEarlySeconds: Double = 25 * 3600

    /// Returns whether the evidence shows that the subscription ran before this period, the earliest one that is known
    /// (rule 7 of WhatACustomerOwns).
    private func hasRun(before period: Subscription.Period) -> Bool {
        period.copies.contains { $0.isRenewal == true || $0.isLaterThanOriginal }
            || renewal?.recentSubscriptionStartDate.map { $0 <= date } == true || renewal?.status == .active
    }

    /// Returns the state of a product of which no period has started.
    private func notStarted(_ period: Subscription.Period) -> ProductState {
        if period.isRevoked(by: date) || period.isUpgraded(by: date) {
            var state = ended(period)
            state.followsUnknownPeriod = true
            return state
        }
        let isFirst = subscription.periods.first { $0.isUnrevoked(at: date) } == period
        if isFirst, hasRun(before: period) {
            return ProductState(state: .renewalUnknown, period: period, followsUnknownPeriod: true)
        }
        return ProductState(state: .notStarted, period: period, until: period.isEndKnown ? period.expiration : nil)
    }

    /// Rules 4 to 6 and 10: returns the state of a product whose period doesn't provide access at the date, except for
    /// its grace period.
    private func ended(_ period: Subscription.Period) -> ProductState {
        if let revocation = period.revocation, revocation.date <= date { return revoked(period, by: revocation) }
        let replacement = period.replacement
        if period.isUpgraded {
            return ProductState(
                state: .upgraded, period: period, until: replacement?.start,
                basis: Entitlement.Basis(successor: replacement))
        }
        let successor = period.successor.flatMap { $0.start <= date ? $0 : nil }
        if let successor, successor.start <= period.endWithGrace {
            return ProductState(
                state: .upgraded, period: period, until: successor.start,
                basis: Entitlement.Basis(successor: successor))
        }
        if period.isActive(at: date) {
            return ProductState(
                state: .gracePeriod, period: period, until: period.grace?.isEndKnown == true ? period.accessEnd : nil)
        }
        let until = period.knownEnd
        if successor == nil, let state = notRenewed(period) {
            return ProductState(state: state.state, period: period, until: until, basis: state.basis)
        }
        if let successor {
            return ProductState(
                state: .upgraded, period: period, until: until, basis: Entitlement.Basis(successor: successor))
        }
        return ProductState(state: .renewalUnknown, period: period, until: until)
    }

    /// Returns the state of a product whose period was revoked (rule 10 of WhatACustomerOwns).
    private func revoked(_ period: Subscription.Period, by revocation: AppStoreTransaction.Revocation) -> ProductState {
        let isUpgrade =
            period.isUpgraded && revocation.isFromReceiptAlone
            || subscription.isUpgrade(revocation, of: period.transaction)
        let kind = isUpgrade ? nil : context.kind(of: revocation, for: period.transaction)
        return ProductState(
            state: kind?.state ?? .upgraded, period: period, until: revocation.date,
            basis: Entitlement.Basis(
                successor: isUpgrade ? period.replacement : nil, revocation: kind, revocationDate: revocation.date))
    }

    /// Returns whether the App Store retries the payment, or the subscription ended; nil if the evidence shows neither
    /// (rule 6 of WhatACustomerOwns).
    private func notRenewed(
        _ period: Subscription.Period
    ) -> (state: Entitlement.State, basis: Entitlement.Basis)? {
        let isInRetryTime = date < period.expiration + Entitlement.Basis.billingRetrySeconds
        if period.isSubjectOfRenewal, let renewal {
            if renewal.isInBillingRetryPeriod, isInRetryTime { return (.billingRetry, Entitlement.Basis()) }
            if renewal.expirationIntent != nil || renewal.status == .expired {
                return (.expired, Entitlement.Basis(expiration: .intent(renewal.expirationIntent)))
            }
        }
        guard period.isEndKnown else { return nil }
        if let next = later.first(where: \.hasRun) {
            // The period before an early renewal isn't in the evidence.
            guard !next.isSignedEarly(after: period.expiration) else { return nil }
            let isRecovery =
                next.copies.contains { $0.isRenewal == true }
                && next.start <= period.expiration + Entitlement.Basis.billingRetrySeconds
            return isRecovery
                ? (.billingRetry, Entitlement.Basis(resumption: next.start))
                : (.expired, Entitlement.Basis(expiration: .laterPurchase(next.start)))
        }
        guard context.dates.isLastPeriod(period, of: subscription.original, renewal: renewal) else { return nil }
        return (.expired, Entitlement.Basis(expiration: .receipt))
    }

    /// Returns whether this product renews, and the product of the next period (rule 13 of WhatACustomerOwns). Nil
    /// values aren't known.
    private func renewing(
        _ product: ExactString, in productState: ProductState
    ) -> (isOn: Bool?, product: String?) {
        guard productState.state.isUndecidedOrActive else { return (false, nil) }
        if let successor = productState.basis.successor { return (false, successor.product?.text) }
        // A period that began after renewal was turned off is a new purchase.
        guard let renewal,
            renewal.willRenew != false
                || (renewal.renewalInformationDate ?? renewal.signedDate) >= productState.period.start
                || productState.followsUnknownPeriod,
            let isOn = renewal.willRenew
        else { return (nil, nil) }
        guard isOn else { return (false, nil) }
        let next = renewal.renewalProductIdentifier ?? renewal.productIdentifier
        return (next.map { ExactString($0) == product } ?? true, next)
    }

    /// Returns the start of uninterrupted access: of the first of the adjoining periods that lead to this one. Nil if
    /// it isn't known.
    private func since(_ period: Subscription.Period, among periods: [Subscription.Period]) -> Date? {
        guard period.hasRun else { return nil }
        var start = period.start
        for earlier in periods.reversed() where earlier.start < start {
            if earlier.accessEnd.wholeSeconds >= start.wholeSeconds { start = earlier.start }
        }
        return start
    }

    /// Returns the number of seats at the date if several transactions of the period buy seats, otherwise the quantity
    /// of the transaction.
    private func quantity(_ productState: ProductState, among periods: [Subscription.Period]) -> Int {
        let period = productState.period
        guard periods.contains(where: \.transaction.buysSeats) else { return period.transaction.quantity ?? 1 }
        let end = period.expiration.wholeSeconds
        let transactions = periods.filter {
            $0.expiration.wholeSeconds == end && ($0.start <= date || $0.start == period.start)
                && $0.isRevoked(by: date) == period.isRevoked(by: date)
        }.map(\.transaction)
        guard transactions.contains(where: \.buysSeats) else { return period.transaction.quantity ?? 1 }
        // Clamped because receipts may contain any number.
        return transactions.reduce(0) {
            $0 + max(0, Int(Int32(clamping: $1.quantity ?? 1)) - max(0, $1.revokedSeatQuantity ?? 0))
        }
    }
}

extension Subscription.Period {
    /// Returns the period of another product that follows without a gap.
    fileprivate func next(after date: Date) -> Successor? {
        successor.flatMap { date < $0.start && $0.start.wholeSeconds <= endWithGrace.wholeSeconds ? $0 : nil }
    }

    /// Whether a token that was signed by a date shows that an upgrade ended the period.
    fileprivate func isUpgraded(by date: Date) -> Bool { isUpgraded && upgradeSignedDate.map { $0 <= date } ?? true }

    /// Whether the period has a known start and isn't revoked at a date.
    fileprivate func isUnrevoked(at date: Date) -> Bool { isStartKnown && !isRevoked(by: date) }
}

extension AppStoreTransaction {
    /// Whether the transaction isn't the original one, which was bought earlier.
    fileprivate var isLaterThanOriginal: Bool {
        guard let originalTransactionIdentifier, originalTransactionIdentifier != transactionIdentifier,
            let originalPurchaseDate, let purchaseDate
        else { return false }
        return originalPurchaseDate < purchaseDate
    }
}

extension Entitlement.State {
    /// Whether the customer has access, or may have it again without another purchase.
    fileprivate var isUndecidedOrActive: Bool {
        switch self {
        case .owned, .active, .gracePeriod, .billingRetry, .renewalUnknown, .notStarted: true
        case .expired, .upgraded, .refunded, .revoked: false
        }
    }
}
