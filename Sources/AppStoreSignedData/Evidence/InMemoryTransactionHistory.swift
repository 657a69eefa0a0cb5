public import AppReceiptKit
import AppReceiptSupport
import Crypto

/// A history in memory, for tests and for servers that fill it at each start.
public final class InMemoryTransactionHistory: TransactionHistory {
    private let known = LockedValueBox<[Key: Known]>([:])

    private struct Key: Hashable {
        let app: String?
        let environment: AppStoreEnvironment?
        let original: String
    }

    private struct Known: Sendable {
        var transactions: [String: VerifiedTransaction] = [:]
        /// The key contains the app, which renewal information doesn't contain: it belongs to the app that has a
        /// transaction with the same original transaction.
        var renewal: VerifiedRenewalInfo?
        /// The newest notification with a status.
        var notification: VerifiedNotification?
        var receipts: [ReceiptRetention.ListedReceipt] = []
    }

    /// Creates an empty history.
    public init() {}

    /// Adds a transaction, unless a newer copy of it is known. One without an identifier or app is ignored.
    public func add(_ transaction: VerifiedTransaction) {
        guard let identifier = transaction.claims.transactionIdentifier, let original = transaction.original,
            let app = transaction.claims.bundleIdentifier
        else { return }
        let key = Key(app: app, environment: transaction.environment, original: original)
        known.withLock { known in
            if let other = known[key]?.transactions[identifier], !transaction.isNewer(than: other) { return }
            known[key, default: Known()].transactions[identifier] = transaction
        }
    }

    /// Adds the renewal information of a subscription, unless newer information is known.
    ///
    /// - Parameters:
    ///   - renewal: The renewal information.
    ///   - app: The app of the subscription, which renewal information doesn't contain.
    public func add(_ renewal: VerifiedRenewalInfo, app: String) {
        guard let original = renewal.original else { return }
        let key = Key(app: app, environment: renewal.environment, original: original)
        known.withLock { known in
            if let other = known[key]?.renewal, !renewal.isNewer(than: other) { return }
            known[key, default: Known()].renewal = renewal
        }
    }

    /// Adds a receipt. For each original transaction, the newest receipt is kept, and older ones with a cancellation of
    /// a transaction that newer ones don't list. A receipt without purchases is ignored.
    public func add(_ receipt: VerifiedReceipt) {
        guard let app = receipt.bundleIdentifier else { return }
        let listed = ReceiptRetention.ListedReceipt(receipt)
        known.withLock { known in
            for original in receipt.originals {
                let key = Key(app: app, environment: receipt.environment, original: original)
                let receipts = (known[key]?.receipts ?? []) + [listed]
                known[key, default: Known()].receipts = ReceiptRetention.receiptsToKeep(from: receipts, for: original)
            }
        }
    }

    /// Adds the transaction, renewal information and status of a notification. The order of notifications has no
    /// effect.
    public func add(_ notification: VerifiedNotification) {
        if let transaction = notification.transaction { add(transaction) }
        let app = notification.claims.bundleIdentifier ?? notification.transaction?.claims.bundleIdentifier
        if let renewal = notification.renewalInfo, let app { add(renewal, app: app) }
        guard let app, notification.hasKnownStatus, let original = notification.original else { return }
        let key = Key(app: app, environment: notification.environment, original: original)
        known.withLock { known in
            if let other = known[key]?.notification, !notification.isNewer(than: other) { return }
            known[key, default: Known()].notification = notification
        }
    }

    /// Returns the known evidence for these original transactions.
    ///
    /// - Parameters:
    ///   - originals: The original transaction identifiers.
    ///   - app: The bundle identifier.
    ///   - environment: The environment.
    /// - Returns: The evidence, empty if none is known.
    public func history(
        of originals: Set<String>, app: String, environment: AppStoreEnvironment
    ) -> CustomerEvidence {
        known.withLock { known in
            var evidence = CustomerEvidence()
            var added: Set<SHA256.Digest> = []
            for original in originals.sorted() {
                guard let found = known[Key(app: app, environment: environment, original: original)] else { continue }
                evidence.transactions += found.transactions.values.sorted { $1.isNewer(than: $0) }
                if let renewal = found.renewal { evidence.renewals.append(renewal) }
                if let notification = found.notification { evidence.notifications.append(notification) }
                evidence.receipts += found.receipts.filter { added.insert($0.digest).inserted }.map(\.receipt)
            }
            return evidence
        }
    }
}
