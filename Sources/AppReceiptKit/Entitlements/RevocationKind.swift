/// The kind of a revocation (rule 10 of WhatACustomerOwns).
enum RevocationKind: Sendable, Hashable {
    /// A refund of the price, or of a part of it.
    case refund(isPartial: Bool)
    /// A cancellation that only a receipt contains, which doesn't distinguish refunds from the end of Family Sharing.
    case refundOrRevocation
    case familySharing
    case assignment
    /// The customer changed between a single subscription and a bundle, and has this product now.
    case bundle(String)
    /// A type or reason that isn't known, as text.
    case unknown(String)

    /// Returns the event, in one sentence.
    ///
    /// - Parameters:
    ///   - date: The words for the date, such as " on 2024-07-02T15:04:05Z".
    ///   - percentage: The words for the refunded part of the price.
    func sentence(on date: String = "", percentage: String = "") -> String {
        switch self {
        case .refundOrRevocation: "Apple refunded or revoked the purchase\(date)."
        case .familySharing: "Family Sharing of the purchase ended\(date)."
        case .assignment: "The assignment of the purchase ended\(date)."
        case .unknown(let cause): "The App Store revoked the purchase\(date), for an unknown reason (\(cause))."
        case .refund(isPartial: true): "Apple refunded a part of the purchase\(date)\(percentage)."
        case .refund, .bundle: "Apple refunded the purchase\(date)."
        }
    }

    var state: Entitlement.State {
        switch self {
        case .refund, .refundOrRevocation: .refunded
        case .familySharing, .assignment, .unknown: .revoked
        case .bundle: .upgraded
        }
    }
}
