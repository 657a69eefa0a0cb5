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

extension VerifiedTransactionReceipt: CustomStringConvertible {
    /// The app, without anything about the customer.
    public var description: String { "VerifiedTransactionReceipt(\(bundleIdentifier))" }
}
