/// What a notification is about. Source: Apple, notificationType.
///
/// Acknowledge those that are not known as well: the App Store's server sends them again otherwise.
public struct NotificationType: OpenValue {
    /// The text in the notification.
    public let rawValue: String
    /// The type of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription began, or began again.
    public static let subscribed = Self(rawValue: "SUBSCRIBED")
    /// A subscription renewed.
    public static let didRenew = Self(rawValue: "DID_RENEW")
    /// The customer chose another product for the next period.
    public static let didChangeRenewalPreference = Self(rawValue: "DID_CHANGE_RENEWAL_PREF")
    /// The customer turned renewal on or off.
    public static let didChangeRenewalStatus = Self(rawValue: "DID_CHANGE_RENEWAL_STATUS")
    /// The customer redeemed an offer.
    public static let offerRedeemed = Self(rawValue: "OFFER_REDEEMED")
    /// A subscription could not be billed.
    public static let didFailToRenew = Self(rawValue: "DID_FAIL_TO_RENEW")
    /// The grace period ended without payment.
    public static let gracePeriodExpired = Self(rawValue: "GRACE_PERIOD_EXPIRED")
    /// A subscription ended.
    public static let expired = Self(rawValue: "EXPIRED")
    /// A higher price was announced.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// Money was given back.
    public static let refund = Self(rawValue: "REFUND")
    /// Money was not given back.
    public static let refundDeclined = Self(rawValue: "REFUND_DECLINED")
    /// A refund was taken back: the customer has the product again.
    public static let refundReversed = Self(rawValue: "REFUND_REVERSED")
    /// The family no longer shares it.
    public static let revoke = Self(rawValue: "REVOKE")
    /// The store asks how much of it was used.
    public static let consumptionRequest = Self(rawValue: "CONSUMPTION_REQUEST")
    /// A subscription was extended.
    public static let renewalExtended = Self(rawValue: "RENEWAL_EXTENDED")
    /// Many subscriptions were extended.
    public static let renewalExtension = Self(rawValue: "RENEWAL_EXTENSION")
    /// Something was bought once.
    public static let oneTimeCharge = Self(rawValue: "ONE_TIME_CHARGE")
    /// A token for purchases outside of the App Store.
    public static let externalPurchaseToken = Self(rawValue: "EXTERNAL_PURCHASE_TOKEN")
    /// A parent took consent back.
    public static let rescindConsent = Self(rawValue: "RESCIND_CONSENT")
    /// Advanced Commerce: descriptions changed.
    public static let metadataUpdate = Self(rawValue: "METADATA_UPDATE")
    /// Advanced Commerce: a subscription was migrated. Apple's changelog spells it `MIGRATE`: see ``isMigration``.
    public static let migration = Self(rawValue: "MIGRATION")
    /// Advanced Commerce: a price changed.
    public static let priceChange = Self(rawValue: "PRICE_CHANGE")
    /// A test that was asked for.
    public static let test = Self(rawValue: "TEST")

    /// Whether it is ``migration``, in either of its spellings.
    public var isMigration: Bool { self == .migration || rawValue == "MIGRATE" }
}

/// What a notification is about, more closely. Source: Apple, subtype.
public struct NotificationSubtype: OpenValue {
    /// The text in the notification.
    public let rawValue: String
    /// The subtype of this name, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Bought for the first time.
    public static let initialBuy = Self(rawValue: "INITIAL_BUY")
    /// Bought again.
    public static let resubscribe = Self(rawValue: "RESUBSCRIBE")
    /// Billed after it had failed.
    public static let billingRecovery = Self(rawValue: "BILLING_RECOVERY")
    /// To a higher product, at once.
    public static let upgrade = Self(rawValue: "UPGRADE")
    /// To a lower product, with the next period.
    public static let downgrade = Self(rawValue: "DOWNGRADE")
    /// Renewal was turned on.
    public static let autoRenewEnabled = Self(rawValue: "AUTO_RENEW_ENABLED")
    /// Renewal was turned off.
    public static let autoRenewDisabled = Self(rawValue: "AUTO_RENEW_DISABLED")
    /// The customer keeps access for a while.
    public static let gracePeriod = Self(rawValue: "GRACE_PERIOD")
    /// The customer turned renewal off.
    public static let voluntary = Self(rawValue: "VOLUNTARY")
    /// It could not be billed.
    public static let billingRetry = Self(rawValue: "BILLING_RETRY")
    /// The customer did not consent to a higher price.
    public static let priceIncrease = Self(rawValue: "PRICE_INCREASE")
    /// The product was not for sale.
    public static let productNotForSale = Self(rawValue: "PRODUCT_NOT_FOR_SALE")
    /// The customer was asked for consent.
    public static let pending = Self(rawValue: "PENDING")
    /// The customer consented, or need not.
    public static let accepted = Self(rawValue: "ACCEPTED")
    /// The extension of many subscriptions is done.
    public static let summary = Self(rawValue: "SUMMARY")
    /// The extension of one of many subscriptions failed.
    public static let failure = Self(rawValue: "FAILURE")
    /// A token was made and not reported.
    public static let unreported = Self(rawValue: "UNREPORTED")
    /// A token was made.
    public static let created = Self(rawValue: "CREATED")
    /// A token is still active.
    public static let activeTokenReminder = Self(rawValue: "ACTIVE_TOKEN_REMINDER")
}

/// The state of a subscription. Source: Apple, status.
public struct SubscriptionStatus: OpenValue {
    /// The number in the notification.
    public let rawValue: Int64
    /// The state of this number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer has it.
    public static let active = Self(rawValue: 1)
    /// It ended.
    public static let expired = Self(rawValue: 2)
    /// The store tries to bill it; the customer does not have it.
    public static let billingRetry = Self(rawValue: 3)
    /// The store tries to bill it; the customer keeps it meanwhile.
    public static let billingGracePeriod = Self(rawValue: 4)
    /// It was refunded or taken out of family sharing.
    public static let revoked = Self(rawValue: 5)
}
