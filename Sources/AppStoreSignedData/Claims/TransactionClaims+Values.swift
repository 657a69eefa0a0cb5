/// The type of a product.
public struct SignedProductType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// A subscription that the App Store renews.
    public static let autoRenewableSubscription = Self(rawValue: "Auto-Renewable Subscription")
    /// A non-consumable.
    public static let nonConsumable = Self(rawValue: "Non-Consumable")
    /// A consumable.
    public static let consumable = Self(rawValue: "Consumable")
    /// A subscription without renewal. The data doesn't contain its duration.
    public static let nonRenewingSubscription = Self(rawValue: "Non-Renewing Subscription")
}

/// The kind of an offer.
public struct OfferType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// For new subscribers.
    public static let introductory = Self(rawValue: 1)
    /// For current and former subscribers.
    public static let promotional = Self(rawValue: 2)
    /// With an offer code.
    public static let code = Self(rawValue: 3)
    /// For winning back former subscribers.
    public static let winBack = Self(rawValue: 4)
}

/// The payment mode of an offer.
public struct OfferDiscountType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// Free.
    public static let freeTrial = Self(rawValue: "FREE_TRIAL")
    /// Paid each period.
    public static let payAsYouGo = Self(rawValue: "PAY_AS_YOU_GO")
    /// Paid once for several periods.
    public static let payUpFront = Self(rawValue: "PAY_UP_FRONT")
    /// Paid once.
    public static let oneTime = Self(rawValue: "ONE_TIME")
}

/// The reason for a transaction.
public struct TransactionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The customer bought it.
    public static let purchase = Self(rawValue: "PURCHASE")
    /// The App Store renewed it.
    public static let renewal = Self(rawValue: "RENEWAL")
}

/// A further reason for a transaction.
public struct AdditionalTransactionReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The customer added seats to a subscription within a period.
    public static let seatAddition = Self(rawValue: "SEAT_ADDITION")
}

/// The kind of a revocation.
public struct RevocationType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// The full price was refunded.
    public static let fullRefund = Self(rawValue: "REFUND_FULL")
    /// A part of the price was refunded.
    public static let proratedRefund = Self(rawValue: "REFUND_PRORATED")
    /// Family sharing ended.
    public static let familyRevocation = Self(rawValue: "FAMILY_REVOKE")
    /// An organization's administrator revoked the seat or copy.
    public static let assignmentRevocation = Self(rawValue: "ASSIGNMENT_REVOKE")
}

/// The reason for a revocation.
public struct RevocationReason: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The number in the data.
    public let rawValue: Int64
    /// Creates a value with any number, known or unknown.
    public init(rawValue: Int64) { self.rawValue = rawValue }
    /// The number in the data.
    public var description: String { String(rawValue) }

    /// Another reason, such as an accidental purchase.
    public static let other = Self(rawValue: 0)
    /// The customer had an issue with the app.
    public static let issueWithApp = Self(rawValue: 1)
}

/// The billing plan of a subscription.
public struct BillingPlanType: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The text in the data.
    public let rawValue: String
    /// Creates a value with any text, known or unknown.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// The text in the data.
    public var description: String { rawValue }

    /// Billed in advance.
    public static let billedUpFront = Self(rawValue: "BILLED_UPFRONT")
    /// Billed monthly.
    public static let monthly = Self(rawValue: "MONTHLY")
}
