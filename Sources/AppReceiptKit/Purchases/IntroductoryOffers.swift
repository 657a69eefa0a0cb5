/// Whether a customer may still have an introductory offer.
public enum IntroductoryOfferEligibility: Sendable, Hashable {
    /// No transaction of the group was a trial or at an introductory price.
    case eligible
    /// One was: there is one such offer for each customer and group.
    case used
    /// There are transactions of the group that do not say whether they were, or no products were named.
    case unknown
}

extension PurchaseQueries {
    /// Whether a free trial of any of these products was used; nil if none says so, but a subscription among them says
    /// nothing.
    ///
    /// Refunded trials count. See ``introductoryOfferEligibility(in:)`` for what it cannot know.
    public func hasUsedTrial(ofAny products: Set<String>) -> Bool? {
        any(of: products) { $0.isTrialPeriod }
    }

    /// Whether an introductory price of any of these products was used; nil if none says so, but a subscription among
    /// them says nothing, as in receipts from before such prices existed.
    ///
    /// Refunded periods count. See ``introductoryOfferEligibility(in:)`` for what it cannot know.
    public func hasUsedIntroductoryPrice(ofAny products: Set<String>) -> Bool? {
        any(of: products) { $0.isInIntroductoryOfferPeriod }
    }

    /// Whether the customer may still have an introductory offer, a free trial or a price, for a subscription group.
    ///
    /// The store grants one for each customer and group, whichever product it was for. Which products form a group is
    /// not in a receipt: name them all, also those that are no longer sold. Nor does it know offers that the same
    /// person used with another Apple Account, or since it was signed: the store decides when the customer buys.
    ///
    /// - Parameter group: the identifiers of all products of the group.
    public func introductoryOfferEligibility(in group: Set<String>) -> IntroductoryOfferEligibility {
        guard !group.isEmpty else { return .unknown }
        return switch (hasUsedTrial(ofAny: group), hasUsedIntroductoryPrice(ofAny: group)) {
        case (true, _), (_, true): .used
        case (false, false): .eligible
        default: .unknown
        }
    }

    /// Whether the flag of any is true; nil if none is, but that of a subscription is absent.
    private func any(of products: Set<String>, _ flag: (Purchase) -> Bool?) -> Bool? {
        let purchases = of(products: products)
        if purchases.contains(where: { flag($0) == true }) { return true }
        return purchases.contains { $0.isSubscriptionPeriod && flag($0) == nil } ? nil : false
    }
}
