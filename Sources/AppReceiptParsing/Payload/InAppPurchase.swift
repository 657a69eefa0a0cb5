public import AppReceiptFoundation

/// One in-app purchase of a receipt.
///
/// A property is nil if the attribute is missing, empty (or 0, for the web order line item) or malformed.
/// ``attributes`` contains the bytes in every case. Numbers in parentheses are attribute types. Source: Apple, Receipt
/// Fields.
public struct InAppPurchase: Sendable, Hashable {
    /// The number of items purchased (1701).
    public internal(set) var quantity: Int?

    /// The product's identifier (1702).
    public internal(set) var productIdentifier: String?

    /// The transaction's identifier (1703). Each renewal and restore has a new one.
    public internal(set) var transactionIdentifier: String?

    /// The date of the purchase or renewal (1704).
    public internal(set) var purchaseDate: Date?

    /// The identifier of the original transaction (1705), to which renewals and restores refer.
    public internal(set) var originalTransactionIdentifier: String?

    /// The date of the original transaction (1706).
    public internal(set) var originalPurchaseDate: Date?

    /// The product's type (1707, undocumented).
    public internal(set) var productType: ProductType?

    /// The date the subscription period ends (1708).
    public internal(set) var expirationDate: Date?

    /// The product's App Store identifier (1710, undocumented); 0 in the sandbox.
    public internal(set) var productStoreIdentifier: UInt64?

    /// The primary key of a subscription's purchase across devices (1711).
    public internal(set) var webOrderLineItemIdentifier: UInt64?

    /// The date Apple refunded the purchase, or the date of the upgrade to another subscription (1712). Treat a
    /// canceled purchase as if it had never been made.
    public internal(set) var cancellationDate: Date?

    /// Whether the period is a free trial (1713, undocumented).
    public internal(set) var isTrialPeriod: Bool?

    /// Whether the period is at an introductory price (1719).
    public internal(set) var isInIntroductoryOfferPeriod: Bool?

    /// The promotional offer that was redeemed (1721, undocumented).
    public internal(set) var promotionalOfferIdentifier: String?

    /// Every attribute of the purchase in its original order, including unknown attributes.
    public internal(set) var attributes: AttributeList

    /// Texts that are empty in all known receipts (1709 and 1714 to 1718, undocumented), by type.
    public var reservedTexts: [Int: String] {
        var texts: [Int: String] = [:]
        for type in [1709, 1714, 1715, 1716, 1717, 1718] { texts[type] = attributes.text(ofType: type) }
        return texts
    }

    /// A number that is 0 in all known receipts (1722, undocumented).
    public var reserved1722: UInt64? { attributes.number(ofType: 1722) }

    /// The type of a product, with the numbers of attribute 1707.
    public struct ProductType: RawRepresentable, Sendable, Hashable, Codable {
        /// The number in the receipt.
        public let rawValue: Int
        /// Creates a product type from its number, known or not.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// A product that is purchased once and doesn't expire.
        public static let nonConsumable = Self(rawValue: 0)
        /// A product that is used up. The next receipt after the app finishes the transaction doesn't contain it.
        public static let consumable = Self(rawValue: 1)
        /// A subscription whose duration the app manages.
        public static let nonRenewingSubscription = Self(rawValue: 2)
        /// A subscription that the App Store renews until it is canceled.
        public static let autoRenewableSubscription = Self(rawValue: 3)
        /// A free subscription, which has no end. They were sold until 2015.
        public static let freeSubscription = Self(rawValue: 4)
    }
}

extension InAppPurchase: CustomStringConvertible {
    /// The product's identifier, without data of the customer.
    public var description: String { "InAppPurchase(\(productIdentifier ?? "no product identifier"))" }
}

extension InAppPurchase {
    /// Creates the purchase of a transaction receipt, which has no attributes.
    package init(
        quantity: Int?, productIdentifier: String?, transactionIdentifier: String?, purchaseDate: Date?,
        originalTransactionIdentifier: String?, originalPurchaseDate: Date?, expirationDate: Date?,
        productStoreIdentifier: UInt64?, webOrderLineItemIdentifier: UInt64?
    ) {
        self.quantity = quantity
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.purchaseDate = purchaseDate
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.originalPurchaseDate = originalPurchaseDate
        self.expirationDate = expirationDate
        self.productStoreIdentifier = productStoreIdentifier
        self.webOrderLineItemIdentifier = webOrderLineItemIdentifier
        attributes = AttributeList([])
    }

    /// Decodes the attributes of one purchase.
    init(_ entries: ArraySlice<AttributeList.Entry>, of bytes: ArraySlice<UInt8>) throws(ReceiptError) {
        attributes = AttributeList(entries, of: bytes)
        let span = bytes.span
        var seen = SeenTypes()
        for entry in entries {
            guard let type = AttributeType(rawValue: entry.type) else { continue }
            guard !type.isUniqueInPurchase || seen.insert(type) else {
                throw ReceiptError(
                    .purchaseAttributeDuplicate, offset: entry.range.lowerBound,
                    "Attribute \(entry.type) of a purchase, which may occur once, occurs twice.")
            }
            try decode(type, from: AttributeValue(range: entry.range), of: span)
        }
    }

    private mutating func decode(
        _ type: AttributeType, from value: AttributeValue, of bytes: Span<UInt8>
    ) throws(ReceiptError) {
        switch type {
        case .quantity: quantity = try value.number(bytes).optional.flatMap(Int.init(exactly:))
        case .productIdentifier: productIdentifier = try value.text(bytes).optional
        case .transactionIdentifier: transactionIdentifier = try value.text(bytes).optional
        case .purchaseDate: purchaseDate = try value.date(bytes).optional
        case .originalTransactionIdentifier: originalTransactionIdentifier = try value.text(bytes).optional
        case .purchaseOriginalPurchaseDate: originalPurchaseDate = try value.date(bytes).optional
        case .productType:
            productType = try value.number(bytes).optional.flatMap(Int.init(exactly:)).map(ProductType.init)
        case .purchaseExpirationDate:
            expirationDate = try value.date(bytes).required(.purchaseExpirationDateMalformed, at: value)
        case .productStoreIdentifier: productStoreIdentifier = try value.number(bytes).optional
        case .webOrderLineItemIdentifier:
            webOrderLineItemIdentifier = try value.number(bytes).optional.flatMap { $0 == 0 ? nil : $0 }
        case .cancellationDate:
            cancellationDate = try value.date(bytes).required(.purchaseCancellationDateMalformed, at: value)
        case .isTrialPeriod: isTrialPeriod = try value.flag(bytes).optional
        case .reserved1709, .reserved1714, .reserved1715, .reserved1716, .reserved1717, .reserved1718:
            _ = try value.text(bytes)
        case .isInIntroductoryOfferPeriod: isInIntroductoryOfferPeriod = try value.flag(bytes).optional
        case .promotionalOfferIdentifier: promotionalOfferIdentifier = try value.text(bytes).optional
        case .reserved1722: _ = try value.number(bytes)
        default: break
        }
    }
}
