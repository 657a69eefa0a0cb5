public import AppReceiptKit

/// A verified transaction receipt from before iOS 7: one purchase.
///
/// Only ``VerifyReceiptResponder`` creates one.
public struct VerifiedTransactionReceipt: Sendable, Hashable {
    /// The app.
    public let bundleIdentifier: String
    /// The environment of the purchase.
    public let environment: ReceiptEnvironment.Base
    /// The original transaction.
    public let originalTransactionIdentifier: String

    /// Creates the value; nil if the receipt doesn't contain its app, environment or transaction.
    init?(_ receipt: TransactionReceipt) {
        guard let bundleIdentifier = receipt.bundleIdentifier, let environment = receipt.environment,
            let original = receipt.purchase.original
        else { return nil }
        self.bundleIdentifier = bundleIdentifier
        self.environment = environment
        originalTransactionIdentifier = original
    }
}

extension TransactionReceipt {
    /// The purchase in the receipt.
    var purchase: Purchase {
        Purchase(
            productIdentifier: info["product-id"], transactionIdentifier: info["transaction-id"],
            originalTransactionIdentifier: info["original-transaction-id"], purchaseDate: purchaseDate,
            originalPurchaseDate: nil, expirationDate: expirationDate, revocation: nil, productType: nil,
            quantity: info["quantity"].flatMap { Int($0) }, isTrialPeriod: nil, isInIntroductoryOfferPeriod: nil,
            promotionalOfferIdentifier: nil,
            webOrderLineItemIdentifier: info["web-order-line-item-id"].flatMap { UInt64($0) })
    }
}

extension VerifiedTransactionReceipt: CustomStringConvertible {
    /// The app, without anything about the customer.
    public var description: String { "VerifiedTransactionReceipt(\(bundleIdentifier))" }
}
