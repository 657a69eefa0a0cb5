public import AppReceiptFoundation
public import AppReceiptParsing

/// An in-app purchase of a ``TestReceipt``.
public struct TestPurchase: TestValue, Hashable {
    /// The product identifier (attribute 1702).
    public var productIdentifier: String
    /// The transaction identifier (attribute 1703).
    public var transactionIdentifier: String
    /// The original transaction identifier (attribute 1705). Nil for the transaction identifier.
    public var originalTransactionIdentifier: String?
    /// The purchase date (attribute 1704).
    public var purchaseDate: Date
    /// The original purchase date (attribute 1706). Nil for the purchase date.
    public var originalPurchaseDate: Date?
    /// The quantity (attribute 1701).
    public var quantity: UInt64 = 1
    /// The product type (attribute 1707).
    public var productType: InAppPurchase.ProductType
    /// The expiration date of a subscription period (attribute 1708).
    public var expirationDate: Date?
    /// The date of a refund or upgrade (attribute 1712).
    public var cancellationDate: Date?
    /// Whether it is a trial period (attribute 1713).
    public var isTrialPeriod = false
    /// Whether an introductory offer applies (attribute 1719).
    public var isInIntroductoryOfferPeriod = false
    /// The identifier of a promotional offer (attribute 1721).
    public var promotionalOfferIdentifier: String?
    /// The product's App Store identifier (attribute 1710). 0 in the sandbox.
    public var productStoreIdentifier: UInt64 = 0
    /// The web order line item identifier (attribute 1711). 0 if there is none.
    public var webOrderLineItemIdentifier: UInt64 = 0
    /// Values by attribute type that replace or extend the attributes above. An empty list removes the attribute.
    public var overrides: [Int: [[UInt8]]] = [:]

    /// Creates a purchase that isn't a subscription. The default date is the creation date of a ``TestReceipt``,
    /// 2024-07-02T15:04:05Z.
    public init(
        _ productIdentifier: String, transaction: String, at date: Date = TestReceipt().creationDate,
        type: InAppPurchase.ProductType = .nonConsumable
    ) {
        self.productIdentifier = productIdentifier
        transactionIdentifier = transaction
        purchaseDate = date
        productType = type
    }

    /// Creates a period of an auto-renewable subscription.
    ///
    /// `original` is the subscription's original transaction. Nil if this is the original transaction.
    public init(
        subscription productIdentifier: String, transaction: String, original: String? = nil, from start: Date,
        to end: Date, isTrial: Bool = false
    ) {
        self.init(productIdentifier, transaction: transaction, at: start, type: .autoRenewableSubscription)
        originalTransactionIdentifier = original
        expirationDate = end
        isTrialPeriod = isTrial
        webOrderLineItemIdentifier = UInt64(transaction).map { $0 | 1 << 50 } ?? 1 << 50
    }

    /// Returns the attributes as the App Store writes them, or the subset that Xcode writes.
    func attributes(likeXcode: Bool) -> [ReceiptAttribute] {
        let isSubscription = productType == .autoRenewableSubscription
        var list = AttributeListBuilder(overrides: overrides)
        list.add(.quantity, value: DERWriter.integer(quantity))
        list.add(.productIdentifier, value: DERWriter.utf8String(productIdentifier))
        list.add(.transactionIdentifier, value: DERWriter.utf8String(transactionIdentifier))
        list.add(.purchaseDate, date: purchaseDate)
        if !likeXcode {
            list.add(
                .originalTransactionIdentifier,
                value: DERWriter.utf8String(originalTransactionIdentifier ?? transactionIdentifier))
            list.add(.purchaseOriginalPurchaseDate, date: originalPurchaseDate ?? purchaseDate)
            list.add(.productType, value: DERWriter.integer(UInt64(clamping: productType.rawValue)))
        }
        list.add(.purchaseExpirationDate, date: expirationDate)
        if !likeXcode {
            list.add(.reserved1709, value: DERWriter.utf8String(""))
            list.add(.productStoreIdentifier, value: DERWriter.integer(productStoreIdentifier))
            list.add(.webOrderLineItemIdentifier, value: DERWriter.integer(webOrderLineItemIdentifier))
            list.add(.cancellationDate, date: cancellationDate)
            list.add(.isTrialPeriod, value: DERWriter.integer(isTrialPeriod ? 1 : 0))
            let reserved: [AttributeType] = [
                .reserved1714, .reserved1715, .reserved1716, .reserved1717, .reserved1718,
            ]
            for type in reserved { list.add(type, value: DERWriter.utf8String("")) }
        }
        if isSubscription || likeXcode || isInIntroductoryOfferPeriod {
            list.add(.isInIntroductoryOfferPeriod, value: DERWriter.integer(isInIntroductoryOfferPeriod ? 1 : 0))
        }
        if let promotionalOfferIdentifier {
            list.add(.promotionalOfferIdentifier, value: DERWriter.utf8String(promotionalOfferIdentifier))
        }
        if !likeXcode { list.add(.reserved1722, value: DERWriter.integer(0)) }
        return list.finish()
    }
}
