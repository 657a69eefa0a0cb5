/// A customer's eligibility for an introductory offer.
public enum IntroductoryOfferEligibility: Sendable, Hashable {
    /// No transaction of the group used one.
    case eligible
    /// A transaction of the group used one. There is one introductory offer for each customer and group.
    case ineligible
    /// Transactions of the group don't contain the flag, or the list of products is empty.
    case unknown
}
