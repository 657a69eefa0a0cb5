package import AppReceiptKit
import AppReceiptSupport

/// The event that a notification reports, in one sentence.
package struct NotificationEvent: Sendable {
    /// The sentence.
    package let sentence: String

    /// - Parameters:
    ///   - claims: The claims of a verified notification.
    ///   - entitlement: The entitlement that results from the notification.
    ///   - renewal: The renewal information in the notification.
    package init(
        _ claims: NotificationClaims, entitlement: Entitlement? = nil, renewal: RenewalInfoClaims? = nil
    ) {
        sentence =
            Self.reason(for: claims, entitlement) ?? Self.plannedChange(in: claims, renewal)
            ?? Self.unclaimedSeats(claims) ?? Self.sentence(for: claims.notificationType, subtype: claims.subtype)
    }

    /// The event that notifications of a type and subtype report.
    package init(type: NotificationType, subtype: NotificationSubtype?) {
        sentence = Self.sentence(for: type, subtype: subtype)
    }

    /// Returns the entitlement's reason if the notification is about a refund or revocation, or if the purchase is
    /// refunded or revoked whatever it is about.
    private static func reason(for claims: NotificationClaims, _ entitlement: Entitlement?) -> String? {
        guard let entitlement else { return nil }
        let isRefund = claims.notificationType == .refund
        switch entitlement.state {
        case .refunded, .revoked: return entitlement.reason
        case .upgraded, .owned: return isRefund || claims.notificationType == .revoke ? entitlement.reason : nil
        case .gracePeriod where claims.notificationType == .didFailToRenew:
            return graceBegan
        case .billingRetry where claims.notificationType == .didFailToRenew:
            return retryBegan
        default: break
        }
        guard isRefund else { return nil }
        return claims.subtype == .seats
            ? "Apple refunded seats of the purchase. The purchaser keeps access."
            : "Apple reports a refund, which the transaction in the notification doesn't contain."
    }

    // The sentences of events are in the past tense, so that none contradicts an entitlement at a later date.

    private static let graceBegan = "The renewal couldn't be billed. The billing grace period began."

    private static let retryBegan =
        "The renewal couldn't be billed. The App Store began to retry, without access in the meantime."

    /// Returns the product of the next period, if the customer chose one for it.
    private static func plannedChange(in claims: NotificationClaims, _ renewal: RenewalInfoClaims?) -> String? {
        guard let renewal, let next = renewal.autoRenewProductIdentifier, renewal.productIdentifier != nil else {
            return nil
        }
        let changes = renewal.autoRenewStatus != .off && !renewal.isSameProduct
        return switch (claims.notificationType, claims.subtype) {
        case (.didChangeRenewalPreference, .downgrade) where changes:
            "The customer downgraded to \(next), beginning with the next period."
        case (.didChangeRenewalPreference, nil) where changes:
            "The customer chose \(next) for the next period."
        case (.didChangeRenewalPreference, nil) where renewal.isSameProduct:
            "The customer keeps \(next) for the next period."
        case (.offerRedeemed, .downgrade) where changes:
            "The customer redeemed an offer and downgraded to \(next), beginning with the next period."
        default: nil
        }
    }

    /// Returns the number of seats that were given up; nil if the notification doesn't list them.
    private static func unclaimedSeats(_ claims: NotificationClaims) -> String? {
        guard claims.notificationType == .unclaimSeats, let seats = claims.unclaimInfo?.seatClaimIdentifiers,
            !seats.isEmpty
        else { return nil }
        return seats.count == 1
            ? "A seat of a subscription was given up. Revoke the access of its member."
            : "\(seats.count) seats of a subscription were given up. Revoke the access of their members."
    }

    private static func sentence(for type: NotificationType?, subtype: NotificationSubtype?) -> String {
        switch type {
        case .subscribed, .didRenew, .didFailToRenew, .gracePeriodExpired, .expired:
            subscription(for: type, subtype: subtype)
        case .didChangeRenewalPreference, .didChangeRenewalStatus, .offerRedeemed, .priceIncrease, .priceChange:
            change(for: type, subtype: subtype)
        case .refund: "Apple refunded the purchase."
        case .metadataUpdate: "The description of the purchase changed."
        case .refundDeclined: "Apple declined a refund of the purchase."
        case .refundReversed: "Apple reversed a refund of the purchase."
        case .consumptionRequest: "The customer requested a refund. Apple asks how much of the purchase was used."
        case .revoke: "Family Sharing of the purchase ended, or an organization revoked it."
        case .unclaimSeats: "Seats of a subscription were given up. Revoke the access of their members."
        case .renewalExtended: "The period of the subscription was extended."
        case .renewalExtension:
            subtype == .failure
                ? "The period of one subscription couldn't be extended."
                : "The periods of many subscriptions were extended."
        case .oneTimeCharge: "The customer bought a product that isn't a subscription."
        case .externalPurchaseToken: "A token for purchases outside of the App Store was created or is due."
        case .rescindConsent: "A parent withdrew consent for the app."
        case .test: "A test, which the developer requested. No purchase is concerned."
        case let other?:
            other.isMigration ? "The subscription was migrated." : "A notification of type \(other.rawValue)."
        case nil: "A notification without a type."
        }
    }

    private static func subscription(for type: NotificationType?, subtype: NotificationSubtype?) -> String {
        switch (type, subtype) {
        case (.subscribed, .resubscribe): "The customer subscribed again."
        case (.subscribed, _): "The customer subscribed."
        case (.didRenew, .billingRecovery): "The subscription was renewed after a billing problem."
        case (.didRenew, _): "The subscription was renewed."
        case (.didFailToRenew, .gracePeriod):
            graceBegan
        case (.didFailToRenew, _):
            retryBegan
        case (.gracePeriodExpired, _): "The grace period ended without a payment. The App Store continued to retry."
        case (_, .voluntary): "The subscription ended, because the customer had turned off renewal."
        case (_, .billingRetry): "The subscription ended, because the renewal couldn't be billed."
        case (_, .priceIncrease): "The subscription ended, because the customer didn't consent to a higher price."
        case (_, .productNotForSale): "The subscription ended, because the product wasn't for sale."
        default: "The subscription ended."
        }
    }

    private static func change(for type: NotificationType?, subtype: NotificationSubtype?) -> String {
        switch (type, subtype) {
        case (.didChangeRenewalPreference, .upgrade): "The customer upgraded. The new product began immediately."
        case (.didChangeRenewalPreference, .downgrade): "The customer downgraded, beginning with the next period."
        case (.didChangeRenewalPreference, _):
            "The customer keeps the current product, or chose another for the next period."
        case (.didChangeRenewalStatus, .autoRenewEnabled): "Renewal was turned on."
        case (.didChangeRenewalStatus, .autoRenewDisabled):
            "Renewal was turned off."
        case (.didChangeRenewalStatus, _): "Renewal was turned on or off."
        case (.offerRedeemed, _): "The customer redeemed an offer."
        case (.priceIncrease, .pending): "A higher price was announced. The customer hasn't responded."
        case (.priceIncrease, .accepted): "The customer accepted a higher price, or consent wasn't required."
        case (.priceIncrease, _): "A higher price was announced."
        default: "The price changed."
        }
    }
}

extension RenewalInfoClaims {
    /// Whether the next period is of the same product. Product identifiers are compared byte by byte.
    var isSameProduct: Bool {
        guard let next = autoRenewProductIdentifier, let current = productIdentifier else { return true }
        return ExactString(next) == ExactString(current)
    }
}
