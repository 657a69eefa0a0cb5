import AppReceiptKit
public import Foundation

/// What a receipt says of an in-app purchase. A property is nil where the receipt says nothing.
public struct InAppPurchaseReceipt: Equatable, Sendable {
    /// How many were bought.
    public internal(set) var quantity: Int64?
    /// The product's identifier.
    public internal(set) var productIdentifier: String?
    /// The transaction's identifier.
    public internal(set) var transactionIdentifier: String?
    /// The identifier of the first transaction of its line.
    public internal(set) var originalTransactionIdentifier: String?
    /// When it was bought, renewed or restored.
    public internal(set) var purchaseDate: Date?
    /// The date of the first transaction.
    public internal(set) var originalPurchaseDate: Date?
    /// When the subscription's period ends.
    public internal(set) var subscriptionExpirationDate: Date?
    /// When it was refunded or upgraded.
    public internal(set) var cancellationDate: Date?
    /// The primary key of a subscription's purchase across devices.
    public internal(set) var webOrderLineItemId: Int64?

    /// A purchase of which nothing is said.
    public init() {}

    /// A purchase of which this is said.
    public init(
        quantity: Int64?, productIdentifier: String?, transactionIdentifier: String?,
        originalTransactionIdentifier: String?, purchaseDate: Date?, originalPurchaseDate: Date?,
        subscriptionExpirationDate: Date?, cancellationDate: Date?, webOrderLineItemId: Int64?
    ) {
        self.quantity = quantity
        self.productIdentifier = productIdentifier
        self.transactionIdentifier = transactionIdentifier
        self.originalTransactionIdentifier = originalTransactionIdentifier
        self.purchaseDate = purchaseDate
        self.originalPurchaseDate = originalPurchaseDate
        self.subscriptionExpirationDate = subscriptionExpirationDate
        self.cancellationDate = cancellationDate
        self.webOrderLineItemId = webOrderLineItemId
    }

    /// A purchase of which this is said, with dates as receipts write them; what does not decode is nil.
    ///
    /// With nil for all of them both initialisers fit, and mean the same.
    @_disfavoredOverload
    public init(
        quantity: Int64?, productIdentifier: String?, transactionIdentifier: String?,
        originalTransactionIdentifier: String?, purchaseDate: String?, originalPurchaseDate: String?,
        subscriptionExpirationDate: String?, cancellationDate: String?, webOrderLineItemId: Int64?
    ) {
        self.init(
            quantity: quantity, productIdentifier: productIdentifier, transactionIdentifier: transactionIdentifier,
            originalTransactionIdentifier: originalTransactionIdentifier, purchaseDate: Date(receipt: purchaseDate),
            originalPurchaseDate: Date(receipt: originalPurchaseDate),
            subscriptionExpirationDate: Date(receipt: subscriptionExpirationDate),
            cancellationDate: Date(receipt: cancellationDate), webOrderLineItemId: webOrderLineItemId)
    }
}

extension InAppPurchaseReceipt: CustomStringConvertible, CustomDebugStringConvertible {
    /// Swift source that makes an equal purchase.
    public var description: String {
        SourceText.call(
            "InAppPurchaseReceipt",
            [
                ("quantity", SourceText.literal(quantity)),
                ("productIdentifier", SourceText.literal(productIdentifier)),
                ("transactionIdentifier", SourceText.literal(transactionIdentifier)),
                ("originalTransactionIdentifier", SourceText.literal(originalTransactionIdentifier)),
                ("purchaseDate", SourceText.literal(purchaseDate)),
                ("originalPurchaseDate", SourceText.literal(originalPurchaseDate)),
                ("subscriptionExpirationDate", SourceText.literal(subscriptionExpirationDate)),
                ("cancellationDate", SourceText.literal(cancellationDate)),
                ("webOrderLineItemId", SourceText.literal(webOrderLineItemId)),
            ])
    }

    /// The same as ``description``.
    public var debugDescription: String { description }
}

extension InAppPurchaseReceipt {
    init(_ purchase: InAppPurchase) {
        self.init(
            quantity: purchase.quantity.map(Int64.init), productIdentifier: purchase.productIdentifier,
            transactionIdentifier: purchase.transactionIdentifier,
            originalTransactionIdentifier: purchase.originalTransactionIdentifier,
            purchaseDate: purchase.purchaseDate?.inMilliseconds,
            originalPurchaseDate: purchase.originalPurchaseDate?.inMilliseconds,
            subscriptionExpirationDate: purchase.expirationDate?.inMilliseconds,
            cancellationDate: purchase.cancellationDate?.inMilliseconds,
            webOrderLineItemId: purchase.webOrderLineItemIdentifier.flatMap(Int64.init(exactly:)))
    }
}
