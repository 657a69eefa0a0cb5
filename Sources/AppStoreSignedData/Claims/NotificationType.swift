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
