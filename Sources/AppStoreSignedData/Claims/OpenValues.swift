// Values of claims that Apple may add to. What is not known is kept as it is written.

/// A value that Apple may add to: its text or number, known or not.
public protocol OpenValue: RawRepresentable, Sendable, Hashable, CustomStringConvertible {}

extension OpenValue {
    /// The text or number in the data.
    public var description: String { "\(rawValue)" }
}

/// The type of a product.
public struct SignedProductType: OpenValue {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A subscription that the store renews.
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// Bought once and kept.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// Used up.
    public static let consumable = Self(rawValue: "Consumable")
    /// A subscription whose length only the app knows.
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}

/// Why a transaction was made.
public struct TransactionReason: OpenValue {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The customer bought it.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// The store renewed it.
    public static let renewal = Self(rawValue: "RENEWAL")
}

/// Why a transaction was revoked.
public struct RevocationReason: OpenValue {
    /// The number in the data.
    public let rawValue: Int64
    /// The value of this number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Another reason, such as a purchase by accident.
    public static let other = Self(rawValue: 0)
    /// The customer had an issue with the app.
    public static let issueWithApp = Self(rawValue: 1)
}

/// How a transaction was revoked.
public struct RevocationType: OpenValue {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All of the price was given back.
    public static let fullRefund = Self(rawValue: "REFUND_FULL")
    /// A part of the price was given back.
    public static let proratedRefund = Self(rawValue: "REFUND_PRORATED")
    /// The family no longer shares it.
    public static let familyRevocation = Self(rawValue: "FAMILY_REVOKE")
}

/// The kind of an offer.
public struct OfferType: OpenValue {
    /// The number in the data.
    public let rawValue: Int64
    /// The value of this number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// For new subscribers.
    public static let introductory = Self(rawValue: 1)
    /// For present and former subscribers.
    public static let promotional = Self(rawValue: 2)
    /// By a code.
    public static let code = Self(rawValue: 3)
    /// To win former subscribers back.
    public static let winBack = Self(rawValue: 4)
}

/// How an offer is paid.
public struct OfferDiscountType: OpenValue {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Not at all.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// Each period.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// Once for several periods.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// Once.
    public static let oneTime = Self(rawValue: "ONE_TIME")
}

/// How a subscription is billed.
public struct BillingPlanType: OpenValue {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// All at once.
    public static let billedUpFront = Self(rawValue: "BILLED_UPFRONT")
    /// Each month.
    public static let monthly = Self(rawValue: "MONTHLY")
}

/// Whether a subscription will renew.
public struct AutoRenewStatus: OpenValue {
    /// The number in the data.
    public let rawValue: Int64
    /// The value of this number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer has turned renewal off.
    public static let off = Self(rawValue: 0)
    /// It will renew.
    public static let on = Self(rawValue: 1)
}

/// Why a subscription expired.
public struct ExpirationIntent: OpenValue {
    /// The number in the data.
    public let rawValue: Int64
    /// The value of this number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// The customer canceled it.
    public static let canceled = Self(rawValue: 1)
    /// It could not be billed.
    public static let billingError = Self(rawValue: 2)
    /// The customer did not consent to a higher price.
    public static let priceIncreaseNotAccepted = Self(rawValue: 3)
    /// The product was not for sale when it would have renewed.
    public static let productNotAvailable = Self(rawValue: 4)
    /// Another reason.
    public static let other = Self(rawValue: 5)
}

/// Whether the customer consented to a higher price.
public struct PriceIncreaseStatus: OpenValue {
    /// The number in the data.
    public let rawValue: Int64
    /// The value of this number, known or not.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Not yet.
    public static let notResponded = Self(rawValue: 0)
    /// Yes, or no consent was needed.
    public static let consented = Self(rawValue: 1)
}

/// The platform on which an app was bought first.
public struct OriginalPlatform: OpenValue {
    /// The text in the data.
    public let rawValue: String
    /// The value of this text, known or not.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// iPhone and iPad.
    public static let iOS = Self(rawValue: "iOS")
    /// Mac.
    public static let macOS = Self(rawValue: "macOS")
    /// Apple TV.
    public static let tvOS = Self(rawValue: "tvOS")
    /// Apple Vision.
    public static let visionOS = Self(rawValue: "visionOS")
}
