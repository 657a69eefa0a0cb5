public import AppReceiptKit
public import AppStoreSignedData

/// A source of evidence about customers beyond the receipt that a request contains.
///
/// Fill it from signed data (App Store Server Notifications, the App Store Server API, or what devices send) and from receipts, each
/// verified, as the types require. A history only selects evidence; it doesn't interpret it.
public protocol TransactionHistory: Sendable {
    /// Returns the known evidence for these purchases, without evidence of other customers.
    ///
    /// Return every revocation and the newest evidence of each original transaction. If a limit doesn't allow that, throw: an answer from
    /// incomplete evidence could grant what was refunded.
    ///
    /// - Parameters:
    ///   - originals: The original transaction identifiers in the receipt.
    ///   - app: The receipt's bundle identifier.
    ///   - environment: The receipt's environment. The same identifier may be another purchase in another environment.
    /// - Throws: An error if the history isn't available. The client gets 21100 and can retry.
    func history(
        of originals: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerHistory
}

/// The known evidence for the requested original transactions.
public struct CustomerHistory: Sendable {
    /// Signed transactions, in any order.
    public var transactions: [VerifiedTransaction]
    /// Renewal information, in any order.
    public var renewals: [VerifiedRenewalInfo]
    /// Receipts that contain a purchase of these original transactions. Their other purchases have no effect, and a receipt with such
    /// purchases is never returned as `latest_receipt`.
    public var receipts: [VerifiedReceipt]

    /// - Parameters:
    ///   - transactions: Signed transactions, in any order.
    ///   - renewals: Renewal information, in any order.
    ///   - receipts: Receipts, in any order. Default: none.
    public init(
        transactions: [VerifiedTransaction] = [], renewals: [VerifiedRenewalInfo] = [],
        receipts: [VerifiedReceipt] = []
    ) {
        self.transactions = transactions
        self.renewals = renewals
        self.receipts = receipts
    }
}

extension CustomerHistory {
    /// The history without evidence of other apps, environments or original transactions.
    func only(_ originals: Set<String>, app: String, environment: ReceiptEnvironment.Base) -> CustomerHistory {
        CustomerHistory(
            transactions: transactions.filter { transaction in
                transaction.environment == environment && transaction.claims.bundleIdentifier == app
                    && transaction.original.map(originals.contains) ?? false
            },
            renewals: renewals.filter { renewal in
                renewal.environment == environment
                    && renewal.claims.originalTransactionIdentifier.map(originals.contains) ?? false
            },
            receipts: receipts.filter { receipt in
                // Xcode restarts its numbers for every app and run: they are unrelated to those of another receipt.
                environment != .xcode && receipt.environment == environment
                    && receipt.receipt.bundleIdentifier == app && receipt.contains(anyOf: originals)
            })
    }
}

extension VerifiedTransaction {
    /// The identifier of the purchase: the original transaction's, or its own if the original is missing.
    package var original: String? { claims.originalTransactionIdentifier ?? claims.transactionIdentifier }
}

extension VerifiedReceipt {
    /// The original transactions of the purchases in the receipt.
    package var originals: Set<String> { Set(receipt.purchases.compactMap { Purchase($0).original }) }

    /// Whether the receipt contains a purchase with one of these original transactions.
    package func contains(anyOf originals: Set<String>) -> Bool {
        receipt.purchases.contains { Purchase($0).original.map(originals.contains) ?? false }
    }

    /// Whether every purchase in the receipt has one of these original transactions. A purchase without identifiers doesn't.
    func containsNothing(but originals: Set<String>) -> Bool {
        receipt.purchases.allSatisfy { Purchase($0).original.map(originals.contains) ?? false }
    }
}
