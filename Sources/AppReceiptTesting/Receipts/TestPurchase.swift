public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An in-app purchase to put into a ``TestReceipt``.
public struct TestPurchase: Sendable, Hashable {
    /// Attribute 1702.
    public var productIdentifier: String
    /// Attribute 1703.
    public var transactionIdentifier: String
    /// Nil for the same as the transaction identifier.
    public var originalTransactionIdentifier: String?
    /// Attribute 1704.
    public var purchaseDate: Date
    /// Nil for the same as the purchase date.
    public var originalPurchaseDate: Date?
    /// Attribute 1701.
    public var quantity: UInt64 = 1
    /// Attribute 1707.
    public var productType: InAppPurchase.ProductType
    /// Attribute 1708, subscriptions only.
    public var expirationDate: Date?
    /// Attribute 1712: a refund or upgrade.
    public var cancellationDate: Date?
    /// Attribute 1713.
    public var isTrialPeriod = false
    /// Attribute 1719.
    public var isInIntroductoryOfferPeriod = false
    /// Attribute 1721.
    public var promotionalOfferIdentifier: String?
    /// Attribute 1710; 0 in the sandbox.
    public var productStoreIdentifier: UInt64 = 0
    /// Attribute 1711; 0 for none.
    public var webOrderLineItemIdentifier: UInt64 = 0
    /// Attributes that replace those of the same type, or come in addition. An empty list of values removes the type.
    public var overrides: [Int: [[UInt8]]] = [:]

    /// Creates a purchase that isn't a subscription.
    public init(
        _ productIdentifier: String, transaction: String, at date: Date,
        type: InAppPurchase.ProductType = .nonConsumable
    ) {
        self.productIdentifier = productIdentifier
        transactionIdentifier = transaction
        purchaseDate = date
        productType = type
    }

    /// One period of an auto-renewable subscription, from its start to its end. `original` is the line's first
    /// transaction; nil if this is it.
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

    /// The same with something changed.
    public func with(_ change: (inout TestPurchase) -> Void) -> TestPurchase {
        var changed = self
        change(&changed)
        return changed
    }

    /// The attributes as the App Store writes them, or the fewer ones that Xcode writes.
    func attributes(likeXcode: Bool) -> [ReceiptAttribute] {
        let isSubscription = productType == .autoRenewableSubscription
        var list = AttributeListBuilder(overrides: overrides)
        list.add(.quantity, DERWriter.integer(quantity))
        list.add(.productIdentifier, DERWriter.utf8String(productIdentifier))
        list.add(.transactionIdentifier, DERWriter.utf8String(transactionIdentifier))
        list.add(.purchaseDate, date: purchaseDate)
        if !likeXcode {
            list.add(
                .originalTransactionIdentifier,
                DERWriter.utf8String(originalTransactionIdentifier ?? transactionIdentifier))
            list.add(.purchaseOriginalPurchaseDate, date: originalPurchaseDate ?? purchaseDate)
            list.add(.productType, DERWriter.integer(UInt64(clamping: productType.rawValue)))
        }
        list.add(.purchaseExpirationDate, date: expirationDate)
        if !likeXcode {
            list.add(.reserved1709, DERWriter.utf8String(""))
            list.add(.productStoreIdentifier, DERWriter.integer(productStoreIdentifier))
            list.add(.webOrderLineItemIdentifier, DERWriter.integer(webOrderLineItemIdentifier))
            list.add(.cancellationDate, date: cancellationDate)
            list.add(.isTrialPeriod, DERWriter.integer(isTrialPeriod ? 1 : 0))
            let reserved: [AttributeType] = [
                .reserved1714, .reserved1715, .reserved1716, .reserved1717, .reserved1718,
            ]
            for type in reserved { list.add(type, DERWriter.utf8String("")) }
        }
        if isSubscription || likeXcode || isInIntroductoryOfferPeriod {
            list.add(.isInIntroductoryOfferPeriod, DERWriter.integer(isInIntroductoryOfferPeriod ? 1 : 0))
        }
        if let promotionalOfferIdentifier {
            list.add(.promotionalOfferIdentifier, DERWriter.utf8String(promotionalOfferIdentifier))
        }
        if !likeXcode { list.add(.reserved1722, DERWriter.integer(0)) }
        return list.finish()
    }
}

/// Gathers attributes, letting overrides win.
struct AttributeListBuilder {
    private var attributes: [ReceiptAttribute] = []
    private var overrides: [Int: [[UInt8]]]

    init(overrides: [Int: [[UInt8]]]) { self.overrides = overrides }

    mutating func add(_ type: AttributeType, _ value: [UInt8], version: Int = 1) {
        guard overrides[type.rawValue] == nil else { return }
        attributes.append(ReceiptAttribute(type: type.rawValue, version: version, value: value[...]))
    }

    /// Absent dates are written as empty strings.
    mutating func add(_ type: AttributeType, date: Date?) {
        add(type, DERWriter.ia5String(date.map(ReceiptDate.string(from:)) ?? ""))
    }

    func finish() -> [ReceiptAttribute] {
        attributes
            + overrides.sorted { $0.key < $1.key }.flatMap { type, values in
                values.map { ReceiptAttribute(type: type, value: $0[...]) }
            }
    }
}

extension ReceiptAttribute {
    /// The attribute as DER.
    package var der: [UInt8] {
        DERWriter.sequence([
            DERWriter.integer(UInt64(clamping: type)), DERWriter.integer(UInt64(clamping: version)),
            DERWriter.octetString(value),
        ])
    }
}
