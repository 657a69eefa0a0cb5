/// Whether a customer may still have an introductory offer.
public enum IntroductoryOfferEligibility: Sendable, Hashable {
    /// No transaction of the group used one.
    case eligible
    /// A transaction of the group used one. There is one introductory offer for each customer and group.
    case used
    /// Transactions of the group don't say whether they used one, or no products were named.
    case unknown
}

extension Entitlements {
    /// Whether the customer used a free trial of any of these products; nil if no transaction says so but one of them says nothing.
    ///
    /// Refunded trials count. The limits of ``introductoryOfferEligibility(in:)`` apply.
    public func hasUsedTrial(ofAny productIdentifiers: Set<String>) -> Bool? {
        any(of: productIdentifiers) { $0.isTrialPeriod }
    }

    /// Whether the customer used an introductory price of any of these products; nil if no transaction says so but one of them says
    /// nothing, as in receipts from before such prices existed.
    ///
    /// Refunded periods count. The limits of ``introductoryOfferEligibility(in:)`` apply.
    public func hasUsedIntroductoryPrice(ofAny productIdentifiers: Set<String>) -> Bool? {
        any(of: productIdentifiers) { $0.isInIntroductoryOfferPeriod }
    }

    /// Whether the customer may still have an introductory offer, a free trial or a price, for a subscription group.
    ///
    /// The App Store grants one for each customer and group, whichever product it was for. The evidence doesn't contain
    /// offers that the same person used with another Apple Account, or after it was signed: the App Store decides when the customer buys.
    ///
    /// - Parameter group: The identifiers of all products of the group, also of those that are no longer sold. A receipt doesn't say
    ///   which products form a group.
    public func introductoryOfferEligibility(in group: Set<String>) -> IntroductoryOfferEligibility {
        guard !group.isEmpty else { return .unknown }
        return switch (hasUsedTrial(ofAny: group), hasUsedIntroductoryPrice(ofAny: group)) {
        case (true, _), (_, true): .used
        case (false, false): .eligible
        default: .unknown
        }
    }

    /// Whether the flag of any purchase is true; nil if none is, but that of a subscription is absent.
    private func any(of productIdentifiers: Set<String>, _ flag: (Purchase) -> Bool?) -> Bool? {
        let purchases = purchases.filter { $0.productIdentifier.map(productIdentifiers.contains) ?? false }
        if purchases.contains(where: { flag($0) == true }) { return true }
        return purchases.contains { $0.isSubscriptionPeriod && flag($0) == nil } ? nil : false
    }
}
