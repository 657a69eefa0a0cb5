public import AppReceiptParsing

/// A transaction with the identifiers from which the identity of its purchase follows (rule 1 of WhatACustomerOwns).
package protocol PurchaseIdentity {
    var productIdentifier: String? { get }
    var transactionIdentifier: String? { get }
    var originalTransactionIdentifier: String? { get }
}

extension PurchaseIdentity {
    /// The identifier of the purchase within an app and environment.
    ///
    /// It is the original transaction's identifier, or the transaction's own if there is none: the first transaction is
    /// its own original.
    package var original: String? { originalTransactionIdentifier ?? transactionIdentifier }

    /// The identifier of the purchase in Xcode's data. Xcode's receipts lack original transactions and repeat
    /// identifiers, so only the product connects the periods.
    package var originalInXcode: String? { originalTransactionIdentifier ?? productIdentifier }
}

extension AppStoreTransaction: PurchaseIdentity {}
extension InAppPurchase: PurchaseIdentity {}
