package import AppReceiptSupport

extension Purchase {
    /// The refunded part of the price in percent, as in `Entitlement`; nil without a refund, and if the evidence doesn't contain it.
    package var refundedPercentage: JSONNumber? {
        Entitlement.refundedPercentage(revocation).map { Entitlement.number($0) }
    }
}
