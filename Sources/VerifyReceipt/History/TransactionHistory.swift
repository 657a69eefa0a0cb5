public import AppReceiptKit
public import AppStoreSignedData

/// What is known of a customer beyond the receipt that was sent: what an answer needs to say how subscriptions went on.
///
/// Fill it from signed data (notifications of the App Store's server, its API, or what devices send) and from receipts,
/// each verified: the types take nothing else.
public protocol TransactionHistory: Sendable {
    /// What is known of these subscriptions and purchases, and of no other customer's.
    ///
    /// - Parameters:
    ///   - lines: the original transaction identifiers in the receipt.
    ///   - app: the receipt's bundle identifier.
    ///   - environment: where the receipt comes from; identifiers of the sandbox may be the same as production's.
    /// - Throws: whatever keeps it from knowing; the client is then told to ask again (21100).
    func history(
        of lines: Set<String>, app: String, environment: ReceiptEnvironment.Base
    ) async throws -> CustomerHistory
}

/// What a history knows of the lines that it was asked for.
public struct CustomerHistory: Sendable {
    /// Transactions, each of them once; of several copies the one that was signed last.
    public var transactions: [VerifiedTransaction]
    /// The state of renewal of each subscription, each once.
    public var renewals: [VerifiedRenewalInfo]
    /// Receipts that hold a purchase of these lines. What else is in them is not told to who asked: one that holds more
    /// than the submitted receipt's lines is never given out as `latest_receipt`.
    public var receipts: [KnownReceipt]

    /// - Parameters:
    ///   - transactions: of these lines, in any order.
    ///   - renewals: of these lines, in any order.
    ///   - receipts: with purchases of these lines, in any order. Default: none.
    public init(
        transactions: [VerifiedTransaction] = [], renewals: [VerifiedRenewalInfo] = [], receipts: [KnownReceipt] = []
    ) {
        self.transactions = transactions
        self.renewals = renewals
        self.receipts = receipts
    }
}

extension CustomerHistory {
    /// Nothing of another app, environment or line, whatever a history gives.
    func only(_ lines: Set<String>, app: String, environment: ReceiptEnvironment.Base) -> CustomerHistory {
        CustomerHistory(
            transactions: transactions.filter { transaction in
                let line = transaction.claims.originalTransactionIdentifier ?? transaction.claims.transactionIdentifier
                return transaction.environment == environment && transaction.claims.bundleIdentifier == app
                    && line.map(lines.contains) ?? false
            },
            renewals: renewals.filter { renewal in
                renewal.environment == environment
                    && renewal.claims.originalTransactionIdentifier.map(lines.contains) ?? false
            },
            receipts: receipts.filter { known in
                // Xcode begins to count anew for every app and run: its numbers say nothing of another receipt's.
                environment != .xcode && known.receipt.environment == environment
                    && known.receipt.receipt.bundleIdentifier == app && known.holds(anyOf: lines)
            })
    }
}

/// A history that is kept in memory and is gone with the process: for tests, and for servers that fill it anew.
public final class InMemoryTransactionHistory: TransactionHistory {
    private let lines = Locked<[Line: Known]>([:])

    private struct Line: Hashable {
        let app: String?
        let environment: ReceiptEnvironment.Base?
        let original: String
    }

    private struct Known: Sendable {
        var transactions: [String: VerifiedTransaction] = [:]
        /// By app, because renewal information names none: it belongs to the app whose transactions have its line.
        var renewal: VerifiedRenewalInfo?
        /// The newest that holds a purchase of the line.
        var receipt: KnownReceipt?
    }

    /// A history of nothing.
    public init() {}

    /// Adds a transaction. Of several copies of it the one that was signed last is kept; one that names no transaction
    /// or line is passed over.
    public func add(_ transaction: VerifiedTransaction) {
        let claims = transaction.claims
        guard let identifier = claims.transactionIdentifier, let app = claims.bundleIdentifier else { return }
        let line = Line(
            app: app, environment: transaction.environment,
            original: claims.originalTransactionIdentifier ?? identifier)
        lines.withLock { lines in
            if let other = lines[line]?.transactions[identifier], other.signedDate > transaction.signedDate { return }
            lines[line, default: Known()].transactions[identifier] = transaction
        }
    }

    /// Adds the state of a subscription's renewal, unless a later one is known.
    ///
    /// - Parameters:
    ///   - renewal: how the subscription goes on.
    ///   - app: the app whose subscription it is; renewal information does not say.
    public func add(_ renewal: VerifiedRenewalInfo, app: String) {
        guard let original = renewal.claims.originalTransactionIdentifier else { return }
        let line = Line(app: app, environment: renewal.environment, original: original)
        lines.withLock { lines in
            if let other = lines[line]?.renewal, other.signedDate > renewal.signedDate { return }
            lines[line, default: Known()].renewal = renewal
        }
    }

    /// Adds a receipt. Of each line that it holds purchases of the newest receipt is kept; one without purchases is passed
    /// over.
    public func add(_ receipt: KnownReceipt) {
        let verified = receipt.receipt
        guard let app = verified.receipt.bundleIdentifier else { return }
        let held = receipt.lines.map { Line(app: app, environment: verified.environment, original: $0) }
        lines.withLock { lines in
            for line in held {
                if let other = lines[line]?.receipt, other.receipt.creationDate >= verified.creationDate { continue }
                lines[line, default: Known()].receipt = receipt
            }
        }
    }

    /// Adds what a notification brings, in whatever order notifications come.
    public func add(_ notification: VerifiedNotification) {
        if let transaction = notification.transaction { add(transaction) }
        let app = notification.claims.bundleIdentifier ?? notification.transaction?.claims.bundleIdentifier
        if let renewal = notification.renewalInfo, let app { add(renewal, app: app) }
    }

    /// What is known of these lines.
    public func history(of lines: Set<String>, app: String, environment: ReceiptEnvironment.Base) -> CustomerHistory {
        self.lines.withLock { known in
            var history = CustomerHistory()
            var given: Set<KnownReceipt> = []
            for original in lines.sorted() {
                guard let line = known[Line(app: app, environment: environment, original: original)] else { continue }
                history.transactions += line.transactions.values.sorted { $0.signedDate < $1.signedDate }
                if let renewal = line.renewal { history.renewals.append(renewal) }
                if let receipt = line.receipt, given.insert(receipt).inserted { history.receipts.append(receipt) }
            }
            return history
        }
    }
}
