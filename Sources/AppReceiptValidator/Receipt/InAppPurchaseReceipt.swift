import AppReceiptKit
public import Foundation

/// An in-app purchase in a receipt. A property is nil if the receipt doesn't contain it.
public struct InAppPurchaseReceipt: Equatable, Sendable {
    /// The number of items purchased.
    public internal(set) var quantity: Int64?
    /// The product's identifier.
    public internal(set) var productIdentifier: String?
    /// The transaction's identifier.
    public internal(set) var transactionIdentifier: String?
    /// The identifier of the original transaction.
    public internal(set) var originalTransactionIdentifier: String?
    /// The date of the purchase, renewal or restore.
    public internal(set) var purchaseDate: Date?
    /// The date of the original transaction.
    public internal(set) var originalPurchaseDate: Date?
    /// The date the subscription period ends.
    public internal(set) var subscriptionExpirationDate: Date?
    /// The date of the refund or upgrade.
    public internal(set) var cancellationDate: Date?
    /// The identifier of a subscription purchase across devices.
    public internal(set) var webOrderLineItemId: Int64?

    /// Creates an empty purchase.
    public init() {}

    /// Creates a purchase from typed values.
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

    /// Creates a purchase from strings: dates as receipts encode them.
    ///
    /// A string that doesn't decode results in nil. If all dates are nil, the initializer with typed values is called.
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
    /// Swift source code that creates an equal purchase.
    public var description: String {
        SourceText.call(
            "InAppPurchaseReceipt",
            with: [
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
