import AppReceiptSupport

extension Entitlements {
    /// Returns whether the customer used a free trial of any of these products.
    ///
    /// Refunded trials are included. The limitations of ``introductoryOfferEligibility(inGroupOf:)`` apply.
    ///
    /// - Parameter productIdentifiers: The products.
    /// - Returns: `nil` if no transaction has the flag set but one of them lacks it.
    package func hasUsedTrial(ofAny productIdentifiers: Set<String>) -> Bool? {
        any(of: productIdentifiers) { $0.isTrialPeriod }
    }

    /// Returns whether the customer used an introductory price of any of these products.
    ///
    /// Refunded periods are included. The limitations of ``introductoryOfferEligibility(inGroupOf:)`` apply.
    ///
    /// - Parameter productIdentifiers: The products.
    /// - Returns: `nil` if no transaction has the flag set but one of them lacks it, as in receipts from before such
    ///   prices existed.
    package func hasUsedIntroductoryPrice(ofAny productIdentifiers: Set<String>) -> Bool? {
        any(of: productIdentifiers) { $0.isInIntroductoryOfferPeriod }
    }

    /// Returns whether the customer is eligible for an introductory offer of a subscription group: a free trial or an
    /// introductory price.
    ///
    /// The App Store grants one offer for each customer and group, for any of its products. The evidence doesn't
    /// contain offers that the same person used with another Apple Account, or later. The App Store decides when the
    /// customer buys.
    ///
    /// - Parameter productIdentifiers: All products of the group, including those that are no longer sold. A receipt
    ///   doesn't contain the groups, so a group identifier has no effect.
    /// - Returns: The eligibility.
    public func introductoryOfferEligibility(
        inGroupOf productIdentifiers: Set<String>
    ) -> IntroductoryOfferEligibility {
        guard !productIdentifiers.isEmpty else { return .unknown }
        let trial = hasUsedTrial(ofAny: productIdentifiers)
        return switch (trial, hasUsedIntroductoryPrice(ofAny: productIdentifiers)) {
        case (true, _), (_, true): .ineligible
        case (false, false): .eligible
        default: .unknown
        }
    }

    /// The subscriptions whose introductory offer the customer can't use any more, in order.
    ///
    /// The products of an original transaction are of one group, and so are those with the same group identifier, which
    /// only tokens contain. Other products of a group aren't known.
    package var productsWithoutIntroductoryOffer: [String] {
        let periods = transactions.filter(\.isSubscriptionPeriod)
        let used = periods.filter { $0.isTrialPeriod == true || $0.isInIntroductoryOfferPeriod == true }
        let originals = Set(used.compactMap { $0.original ?? $0.productIdentifier })
        let groups = Set(used.compactMap(\.subscriptionGroupIdentifier))
        let products = periods.filter { period in
            (period.original ?? period.productIdentifier).map(originals.contains) ?? false
                || period.subscriptionGroupIdentifier.map(groups.contains) ?? false
        }
        return Set(products.compactMap { $0.productIdentifier.map { ExactString($0) } }).map(\.text).sorted()
    }

    /// Returns whether the flag of any transaction is true; nil if none is true but the flag of a subscription's period
    /// is absent.
    private func any(of productIdentifiers: Set<String>, _ flag: (AppStoreTransaction) -> Bool?) -> Bool? {
        let products = Set(productIdentifiers.map { ExactString($0) })
        let ofProducts = transactions.filter {
            $0.productIdentifier.map { products.contains(ExactString($0)) } ?? false
        }
        if ofProducts.contains(where: { flag($0) == true }) { return true }
        return ofProducts.contains { $0.isSubscriptionPeriod && flag($0) == nil } ? nil : false
    }
}

/// A customer's eligibility for an introductory offer.
public enum IntroductoryOfferEligibility: Sendable, Hashable {
    /// No transaction of the group used one.
    case eligible
    /// A transaction of the group used one. There is one introductory offer for each customer and group.
    case ineligible
    /// Transactions of the group don't contain the flag, or the list of products is empty.
    case unknown
}
