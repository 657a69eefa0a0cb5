/// The state of a subscription. Source: Apple, status.
public struct SubscriptionStatus: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the notification.
    public let rawValue: Int64
    /// Creates a state with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// The subscription is active.
    public static let active = Self(rawValue: 1)
    /// The subscription expired.
    public static let expired = Self(rawValue: 2)
    /// The App Store retries billing; the customer doesn't have access.
    public static let billingRetry = Self(rawValue: 3)
    /// The App Store retries billing; the customer has access in the meantime.
    public static let billingGracePeriod = Self(rawValue: 4)
    /// The subscription was refunded, or family sharing ended.
    public static let revoked = Self(rawValue: 5)
}

/// The customer's reason for requesting a refund.
public struct ConsumptionRequestReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The customer didn't intend to buy it.
    public static let unintendedPurchase = Self(rawValue: "UNINTENDED_PURCHASE")
    /// The customer didn't receive it, or it didn't work.
    public static let fulfillmentIssue = Self(rawValue: "FULFILLMENT_ISSUE")
    /// The customer isn't satisfied.
    public static let unsatisfiedWithPurchase = Self(rawValue: "UNSATISFIED_WITH_PURCHASE")
    /// A legal reason.
    public static let legal = Self(rawValue: "LEGAL")
    /// Another reason.
    public static let other = Self(rawValue: "OTHER")
}

/// The subtype of a notification. Source: Apple, subtype.
public struct NotificationSubtype: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the notification.
    public let rawValue: String
    /// Creates a subtype with any name, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// Bought for the first time.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// Bought again.
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// Billing succeeded after a failure.
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// An upgrade, effective immediately.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// A downgrade, effective with the next period.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// The customer turned on renewal.
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// The customer turned off renewal.
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// The customer has access during the grace period.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// The customer turned off renewal.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    /// Billing failed.
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// The customer didn't consent to a higher price.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// The product wasn't available.
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// The customer was asked for consent.
    public static let pending = Self(rawValue: "PENDING")
    /// The customer consented, or consent wasn't required.
    public static let accepted = Self(rawValue: "ACCEPTED")
    /// The extension of many subscriptions is done.
    public static let summary = Self(rawValue: "SUMMARY")
    /// The extension of one of many subscriptions failed.
    public static let failure = Self(rawValue: "FAILURE")
    /// A token was created and not reported.
    public static let unreported = Self(rawValue: "UNREPORTED")
    /// A token was created.
    public static let created = Self(rawValue: "CREATED")
    /// A token is still active.
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")
    /// Seats were refunded. The purchaser keeps access until all seats of the period are revoked.
    public static let seats = Self(rawValue: "SEATS")
}

/// The type of a notification. Source: Apple, notificationType.
///
/// Acknowledge unknown types too. Otherwise, the App Store sends them again.
public struct NotificationType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the notification.
    public let rawValue: String
    /// Creates a type with any name, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// A subscription began or was resumed.
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// The customer chose another product for the next period.
    public static let didChangeRenewalPreference = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// The customer turned renewal on or off.
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// The customer redeemed an offer.
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// Billing of a subscription failed.
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended without payment.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = Self(rawValue: "EXPIRED")
    /// A higher price was announced.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// A purchase was refunded.
    public static let refund = Self(rawValue: "REFUND")
    /// A refund was declined.
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// A refund was reversed: the customer has access again.
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// Family sharing ended.
    public static let revoke = Self(rawValue: "REVOKE")
    /// The App Store requests consumption information.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// A subscription was extended.
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// Many subscriptions were extended.
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// A one-time purchase.
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// A token for purchases outside of the App Store.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A parent withdrew consent.
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// Advanced Commerce: descriptions changed.
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// Advanced Commerce: a subscription was migrated. Apple's changelog spells it `MIGRATE`: see ``isMigration``.
    public static let migration = Self(rawValue: "MIGRATION")
    /// Advanced Commerce: a price changed.
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")
    /// Seats of a subscription for several people were given up: revoke the access of their members.
    public static let unclaimSeats = Self(rawValue: "UNCLAIM_SEATS")
    /// A requested test.
    public static let test = Self(rawValue: "TEST")

    /// Whether it is ``migration``, in either of its spellings.
    public var isMigration: Bool { self == .migration || rawValue == "MIGRATE" }
}
