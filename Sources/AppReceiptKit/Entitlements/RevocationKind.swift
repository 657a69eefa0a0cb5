/// The kind of a revocation (rule 10).
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

    var state: Entitlement.State {
        switch self {
        case .refund, .refundOrRevocation: .refunded
        case .familySharing, .assignment, .unknown: .revoked
        case .bundle: .upgraded
        }
    }
}
