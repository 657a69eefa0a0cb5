public import AppReceiptKit
public import AppStoreSignedData

/// The known evidence for the requested original transactions.
public struct CustomerHistory: Sendable {
    /// Signed transactions, in any order.
    public var transactions: [VerifiedTransaction]
    /// Renewal information, in any order.
    public var renewals: [VerifiedRenewalInfo]
    /// Notifications, in any order. Only their signed status counts.
    public var notifications: [VerifiedNotification]
    /// Receipts that contain a purchase of these original transactions. Their other purchases have no effect, and a receipt with such
    /// purchases is never returned as `latest_receipt`.
    public var receipts: [VerifiedReceipt]

    /// - Parameters:
    ///   - transactions: Signed transactions, in any order.
    ///   - renewals: Renewal information, in any order.
    ///   - notifications: Notifications, of which only the signed status counts. Default: none.
    ///   - receipts: Receipts, in any order. Default: none.
    public init(
        transactions: [VerifiedTransaction] = [], renewals: [VerifiedRenewalInfo] = [],
        notifications: [VerifiedNotification] = [], receipts: [VerifiedReceipt] = []
    ) {
        self.transactions = transactions
        self.renewals = renewals
        self.notifications = notifications
        self.receipts = receipts
    }
}

extension CustomerHistory {
    var isEmpty: Bool {
        transactions.isEmpty && renewals.isEmpty && notifications.isEmpty && receipts.isEmpty
    }

    /// The history without evidence of other apps, environments or original transactions.
    func only(_ originals: Set<String>, app: String, environment: ReceiptEnvironment.Base) -> CustomerHistory {
        let isForApp = { (other: String?) in other?.utf8.elementsEqual(app.utf8) == true }
        return CustomerHistory(
            transactions: transactions.filter { transaction in
                transaction.environment == environment && isForApp(transaction.claims.bundleIdentifier)
                    && transaction.original.map(originals.contains) ?? false
            },
            renewals: renewals.filter { renewal in
                renewal.environment == environment
                    && renewal.claims.originalTransactionIdentifier.map(originals.contains) ?? false
            },
            notifications: notifications.filter { notification in
                notification.environment == environment && isForApp(notification.claims.bundleIdentifier)
                    && notification.original.map(originals.contains) ?? false
            },
            receipts: receipts.filter { receipt in
                // Xcode restarts its numbers for every app and run: they are unrelated to those of another receipt.
                environment != .xcode && receipt.environment == environment
                    && isForApp(receipt.bundleIdentifier) && receipt.contains(anyOf: originals)
            })
    }
}
