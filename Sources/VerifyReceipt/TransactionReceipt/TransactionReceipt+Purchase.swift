import AppReceiptKit

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
