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
