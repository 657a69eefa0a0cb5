/// The attribute types of receipts and purchases whose meaning is known, with their numbers.
///
/// The only table of attributes: the parser, the command line and the test kit use it, and tests compare the
/// inspector's page and the documentation with it. Source: Apple, Receipt Fields, and comparison of genuine receipts.
package enum AttributeType: Int, Sendable, CaseIterable {
    // MARK: Receipts

    case environment = 0
    case appStoreIdentifier = 1
    case bundleIdentifier = 2
    case appVersion = 3
    case opaqueValue = 4
    case deviceHash = 5
    case reserved6 = 6
    case reserved7 = 7
    case transactionDate = 8
    case fulfillmentToolVersion = 9
    case ageRating = 10
    case developerIdentifier = 11
    case creationDate = 12
    case operatingSystemVersion = 13
    case deviceModelCode = 14
    case downloadIdentifier = 15
    case versionExternalIdentifier = 16
    case purchase = 17
    case originalPurchaseDate = 18
    case originalAppVersion = 19
    case reserved20 = 20
    case expirationDate = 21
    case volumePurchaseDate = 22
    case volumePurchaseClientName = 23
    case platformCode = 25
    case preorderDate = 32

    // MARK: Purchases

    case quantity = 1701
    case productIdentifier = 1702
    case transactionIdentifier = 1703
    case purchaseDate = 1704
    case originalTransactionIdentifier = 1705
    case purchaseOriginalPurchaseDate = 1706
    case productType = 1707
    case purchaseExpirationDate = 1708
    case reserved1709 = 1709
    case productStoreIdentifier = 1710
    case webOrderLineItemIdentifier = 1711
    case cancellationDate = 1712
    case isTrialPeriod = 1713
    case reserved1714 = 1714
    case reserved1715 = 1715
    case reserved1716 = 1716
    case reserved1717 = 1717
    case reserved1718 = 1718
    case isInIntroductoryOfferPeriod = 1719
    case promotionalOfferIdentifier = 1721
    case reserved1722 = 1722

    /// Whether the attribute belongs to a purchase.
    package var isPurchaseAttribute: Bool { rawValue >= Self.quantity.rawValue }

    /// Whether Apple's documentation describes the attribute.
    package var isDocumented: Bool {
        switch self {
        case .bundleIdentifier, .appVersion, .opaqueValue, .deviceHash, .creationDate, .purchase, .originalAppVersion,
            .expirationDate, .quantity, .productIdentifier, .transactionIdentifier, .purchaseDate,
            .originalTransactionIdentifier, .purchaseOriginalPurchaseDate, .purchaseExpirationDate,
            .webOrderLineItemIdentifier, .cancellationDate, .isInIntroductoryOfferPeriod:
            true
        default: false
        }
    }

    /// The format of a value.
    package enum Format: String, Sendable {
        case text, number, date
        /// Bytes that aren't an encoded element.
        case bytes
        /// A set of attributes.
        case purchase
    }

    /// The name for people, and the format of the value.
    package var description: (name: String, format: Format) {
        switch self {
        case .environment: ("Environment", .text)
        case .appStoreIdentifier: ("App Store identifier", .number)
        case .bundleIdentifier: ("Bundle identifier", .text)
        case .appVersion: ("App version", .text)
        case .opaqueValue: ("Opaque value", .bytes)
        case .deviceHash: ("Device hash (SHA-1)", .bytes)
        case .reserved6, .reserved7: ("Opaque bytes", .bytes)
        case .transactionDate: ("Transaction date", .date)
        case .fulfillmentToolVersion: ("Fulfillment tool version", .number)
        case .ageRating: ("Age rating", .text)
        case .developerIdentifier: ("Developer identifier", .number)
        case .creationDate: ("Creation date", .date)
        case .operatingSystemVersion: ("Operating system version", .number)
        case .deviceModelCode: ("Device model code", .number)
        case .downloadIdentifier: ("Download identifier", .number)
        case .versionExternalIdentifier: ("Version external identifier", .number)
        case .purchase: ("In-app purchase", .purchase)
        case .originalPurchaseDate, .purchaseOriginalPurchaseDate: ("Original purchase date", .date)
        case .originalAppVersion: ("Original version", .text)
        case .reserved20, .reserved1709, .reserved1714, .reserved1715, .reserved1716, .reserved1717, .reserved1718:
            ("Reserved text", .text)
        case .expirationDate, .purchaseExpirationDate: ("Expiration date", .date)
        case .volumePurchaseDate: ("Volume purchase date", .date)
        case .volumePurchaseClientName: ("Volume purchase client", .text)
        case .platformCode: ("Platform code", .number)
        case .preorderDate: ("Preorder date", .date)
        case .quantity: ("Quantity", .number)
        case .productIdentifier: ("Product identifier", .text)
        case .transactionIdentifier: ("Transaction identifier", .text)
        case .purchaseDate: ("Purchase date", .date)
        case .originalTransactionIdentifier: ("Original transaction identifier", .text)
        case .productType: ("Product type", .number)
        case .productStoreIdentifier: ("Product store identifier", .number)
        case .webOrderLineItemIdentifier: ("Web order line item", .number)
        case .cancellationDate: ("Cancellation date", .date)
        case .isTrialPeriod: ("Is trial period", .number)
        case .isInIntroductoryOfferPeriod: ("Is introductory offer period", .number)
        case .promotionalOfferIdentifier: ("Promotional offer identifier", .text)
        case .reserved1722: ("Reserved number", .number)
        }
    }

    /// Whether a receipt may contain at most one attribute of this type.
    var isUniqueInReceipt: Bool { !isPurchaseAttribute && self != .purchase }

    /// Whether a purchase may contain at most one attribute of this type.
    var isUniqueInPurchase: Bool { isPurchaseAttribute }
}

/// The attribute types that have occurred so far, of those that may occur once.
///
/// A `Set` of them takes longer than the rest of the parser (budget: verify 79 KB).
struct SeenTypes {
    private var bits: UInt64 = 0

    /// Records a type, and returns whether it hasn't occurred before. Among the types of a receipt, or of a purchase,
    /// that may occur once, the last six bits are distinct.
    mutating func insert(_ type: AttributeType) -> Bool {
        let bit: UInt64 = 1 << UInt64(type.rawValue & 63)
        guard bits & bit == 0 else { return false }
        bits |= bit
        return true
    }
}
