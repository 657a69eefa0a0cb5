package import AppReceiptFoundation
public import AppReceiptKit
import AppReceiptSupport

/// The evidence that Apple signed about a customer's purchases: receipts, transactions, renewal information and
/// notifications, all verified.
///
/// Each list may be in any order and contain any number of copies. A transaction that several sources contain is one
/// purchase. Renewal information doesn't name an app, so it has an effect only together with a transaction or receipt
/// of its original transaction.
public struct CustomerEvidence: Sendable {
    /// Receipts.
    public var receipts: [VerifiedReceipt]
    /// Transaction receipts. Each is evidence of one purchase.
    public var transactionReceipts: [VerifiedTransactionReceipt]
    /// Signed transactions.
    public var transactions: [VerifiedTransaction]
    /// Renewal information.
    public var renewals: [VerifiedRenewalInfo]
    /// Notifications, of which only the signed status counts. ``add(_:)`` also adds the transaction and renewal
    /// information in them.
    public var notifications: [VerifiedNotification]
    /// The last states of transactions whose evidence was deleted.
    package var tombstones: [TransactionTombstone] = []

    /// Creates evidence.
    public init(
        receipts: [VerifiedReceipt] = [], transactionReceipts: [VerifiedTransactionReceipt] = [],
        transactions: [VerifiedTransaction] = [], renewals: [VerifiedRenewalInfo] = [],
        notifications: [VerifiedNotification] = []
    ) {
        self.receipts = receipts
        self.transactionReceipts = transactionReceipts
        self.transactions = transactions
        self.renewals = renewals
        self.notifications = notifications
    }

    /// Whether there is no evidence.
    public var isEmpty: Bool {
        receipts.isEmpty && transactionReceipts.isEmpty && transactions.isEmpty && renewals.isEmpty
            && notifications.isEmpty && tombstones.isEmpty
    }

    /// Adds signed data. An app transaction and a realtime request aren't evidence of a purchase.
    public mutating func add(_ data: VerifiedSignedData) {
        if let transaction = data.transaction { transactions.append(transaction) }
        if let renewal = data.renewalInfo { renewals.append(renewal) }
        if let notification = data.notification { notifications.append(notification) }
    }

    /// Adds other evidence.
    package mutating func add(_ other: CustomerEvidence) {
        receipts += other.receipts
        transactionReceipts += other.transactionReceipts
        transactions += other.transactions
        renewals += other.renewals
        notifications += other.notifications
        tombstones += other.tombstones
    }

    /// The evidence with the transactions and renewal information in its notifications.
    package var withNestedData: CustomerEvidence {
        var evidence = self
        evidence.transactions += notifications.compactMap(\.transaction)
        evidence.renewals += notifications.compactMap(\.renewalInfo)
        return evidence
    }

    /// The newest renewal information of each original transaction, in the order in which they occur.
    package var newestRenewals: [VerifiedRenewalInfo] {
        var newest: [VerifiedRenewalInfo] = []
        var positions: [String: Int] = [:]
        for renewal in renewals {
            guard let original = renewal.original else { continue }
            if let position = positions[original] {
                if renewal.isNewer(than: newest[position]) { newest[position] = renewal }
            } else {
                positions[original] = newest.count
                newest.append(renewal)
            }
        }
        return newest
    }

    /// The original transactions of the evidence.
    package var originals: Set<String> {
        var originals = Set(transactions.compactMap(\.original) + renewals.compactMap(\.original))
        for receipt in receipts { originals.formUnion(receipt.originals) }
        originals.formUnion(transactionReceipts.compactMap(\.originalTransactionIdentifier))
        originals.formUnion(notifications.compactMap(\.original))
        return originals
    }

    /// The newest date that Apple signed; nil without evidence. Transaction receipts don't contain one.
    package var newestSignedDate: Date? {
        (receipts.map(\.creationDate) + transactions.map(\.signedDate) + renewals.map(\.signedDate)
            + notifications.map(\.signedDate)).max()
    }

    /// Returns the evidence of an app and environment.
    ///
    /// - Parameters:
    ///   - app: The bundle identifier, compared byte by byte.
    ///   - environment: The environment.
    ///   - originals: The original transactions; nil for all. Receipts with one of them are complete. Xcode's receipts
    ///     are excluded, because Xcode restarts its numbers for every app and run.
    package func only(
        app: String, environment: AppStoreEnvironment?, originals: Set<String>? = nil
    ) -> CustomerEvidence {
        let app = ExactString(app)
        func isForApp(_ other: String?) -> Bool { other.map { ExactString($0) } == app }
        func isIncluded(_ original: String?) -> Bool {
            originals.map { originals in original.map(originals.contains) ?? false } ?? true
        }
        var included = CustomerEvidence(
            receipts: receipts.filter { receipt in
                receipt.environment == environment && isForApp(receipt.bundleIdentifier)
                    && (originals.map { environment != .xcode && receipt.contains(anyOf: $0) } ?? true)
            },
            transactionReceipts: transactionReceipts.filter {
                $0.environment == environment && isForApp($0.bundleIdentifier)
                    && isIncluded($0.originalTransactionIdentifier)
            },
            transactions: transactions.filter {
                $0.environment == environment && isForApp($0.claims.bundleIdentifier) && isIncluded($0.original)
            },
            renewals: renewals.filter { $0.environment == environment && isIncluded($0.original) },
            notifications: notifications.filter {
                $0.environment == environment && isForApp($0.claims.bundleIdentifier) && isIncluded($0.original)
            })
        included.tombstones = tombstones.filter {
            $0.environment == environment && isForApp($0.app) && isIncluded($0.original)
        }
        return included
    }
}

// The identity of evidence (rule 1 of WhatACustomerOwns) is the original transaction, which all transactions of a
// purchase share.

extension VerifiedReceipt {
    /// The original transactions of the purchases in the receipt.
    package var originals: Set<String> { Set(purchases.compactMap(\.original)) }

    /// Whether a purchase in the receipt has an original transaction.
    package var hasOriginals: Bool { purchases.contains { $0.original != nil } }

    /// Whether the receipt contains a purchase with one of these original transactions.
    package func contains(anyOf originals: Set<String>) -> Bool {
        purchases.contains { $0.original.map(originals.contains) ?? false }
    }

    /// Whether every purchase in the receipt has one of these original transactions. A purchase without identifiers
    /// doesn't.
    package func containsNothing(but originals: Set<String>) -> Bool {
        purchases.allSatisfy { $0.original.map(originals.contains) ?? false }
    }
}

extension TransactionClaims: PurchaseIdentity {}

extension VerifiedTransaction {
    /// The original transaction; the transaction itself if it doesn't name one.
    package var original: String? { claims.original }
}

extension VerifiedRenewalInfo {
    /// The original transaction.
    package var original: String? { claims.originalTransactionIdentifier }
}

extension VerifiedNotification {
    /// The original transaction of the subscription or purchase.
    package var original: String? { transaction?.original ?? renewalInfo?.original }
}

// The order of evidence (rule 2 of WhatACustomerOwns): of two copies, the newer one counts.

extension VerifiedTransaction {
    /// Whether this copy replaces another one of the same transaction.
    package func isNewer(than other: VerifiedTransaction) -> Bool { other.order < order }

    private var order: EvidenceOrder {
        EvidenceOrder(
            signedDate: signedDate, hasRevocation: claims.revocationDate != nil,
            isUpgraded: claims.isUpgraded == true, token: token)
    }
}

extension VerifiedRenewalInfo {
    /// Whether this copy replaces another one of the same original transaction.
    package func isNewer(than other: VerifiedRenewalInfo) -> Bool { other.order < order }

    private var order: EvidenceOrder { EvidenceOrder(signedDate: signedDate, token: token) }
}

extension VerifiedNotification {
    /// Whether the signed status of this notification replaces that of another one of the same original transaction.
    package func isNewer(than other: VerifiedNotification) -> Bool { other.order < order }

    private var order: EvidenceOrder { EvidenceOrder(signedDate: signedDate, token: notification.token) }
}
