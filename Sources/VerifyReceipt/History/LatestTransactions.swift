import AppReceiptKit
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What the submitted receipt, other receipts and signed transactions know of the submitted receipt's subscriptions, each
/// transaction once.
///
/// A signed transaction knows the most and is what is given; without one, the newest receipt that holds the transaction.
/// Whether it was refunded says whatever was signed last, but a receipt that names no cancellation does not take away a
/// refund that a signed transaction told.
struct LatestTransactions {
    /// Those of the submitted receipt in its order, then the rest.
    private(set) var all: [TransactionFields] = []

    private let signed: [String: VerifiedTransaction]
    private let stated: [String: Statement]

    /// What the newest receipt that holds a transaction says of it.
    private struct Statement {
        let fields: TransactionFields
        let date: Date
        /// A receipt may list the same transaction twice, once as refunded.
        var cancellationDate: Date?
    }

    /// - Parameters:
    ///   - own: the submitted receipt's subscription transactions.
    ///   - submitted: that receipt.
    ///   - history: what is known of its lines.
    init(_ own: [TransactionFields], _ submitted: KnownReceipt, _ history: CustomerHistory) {
        let subscriptions = history.transactions.filter(\.purchase.isSubscriptionPeriod)
        signed = Dictionary(
            subscriptions.compactMap { transaction in
                transaction.claims.transactionIdentifier.map { ($0, transaction) }
            }, uniquingKeysWith: { $1 })
        // The submitted receipt itself is no other one, and of the same date it counts first.
        let others = history.receipts.filter { $0 != submitted }.sorted {
            $0.receipt.creationDate > $1.receipt.creationDate
        }
        let lines = others.isEmpty ? [] : submitted.lines
        let listed = others.map { Self.subscriptions(of: $0, lines) }
        var stated: [String: Statement] = [:]
        Self.state(own, at: submitted.receipt.creationDate, &stated)
        for (other, transactions) in zip(others, listed) {
            Self.state(transactions, at: other.receipt.creationDate, &stated)
        }
        self.stated = stated

        let elsewhere = Set(listed.joined().compactMap(\.transactionIdentifier))
        var given: Set<String> = []
        for transaction in own {
            guard let identifier = transaction.transactionIdentifier,
                signed[identifier] != nil || elsewhere.contains(identifier)
            else {
                // Nobody else knows it: as the receipt has it.
                all.append(transaction)
                continue
            }
            add(identifier, to: &given)
        }
        for transaction in listed.joined() {
            if let identifier = transaction.transactionIdentifier { add(identifier, to: &given) }
        }
        for transaction in subscriptions {
            if let identifier = transaction.claims.transactionIdentifier { add(identifier, to: &given) }
        }
    }

    /// The subscription transactions of these lines in a receipt.
    private static func subscriptions(of known: KnownReceipt, _ lines: Set<String>) -> [TransactionFields] {
        known.receipt.receipt.purchases.filter { purchase in
            Purchase(purchase).isSubscriptionPeriod && purchase.line.map(lines.contains) ?? false
        }.map(TransactionFields.init)
    }

    /// Notes what a receipt says, unless a newer one has said it.
    private static func state(
        _ transactions: [TransactionFields], at date: Date, _ stated: inout [String: Statement]
    ) {
        var own: [String: Statement] = [:]
        for transaction in transactions {
            guard let identifier = transaction.transactionIdentifier else { continue }
            var statement = own[identifier] ?? Statement(fields: transaction, date: date)
            if let cancellation = transaction.cancellationDate {
                statement.cancellationDate = min(cancellation, statement.cancellationDate ?? cancellation)
            }
            own[identifier] = statement
        }
        for (identifier, statement) in own {
            if let other = stated[identifier], other.date >= statement.date { continue }
            stated[identifier] = statement
        }
    }

    /// Adds a transaction unless it is there.
    private mutating func add(_ identifier: String, to given: inout Set<String>) {
        guard given.insert(identifier).inserted else { return }
        let statement = stated[identifier]
        guard let token = signed[identifier] else {
            if let statement { all.append(statement.fields.refunded(statement.cancellationDate)) }
            return
        }
        let fields = TransactionFields(token)
        // A receipt can lag behind what was signed before it: its silence takes no refund back, only a later token does.
        guard let statement, statement.date > token.signedDate, let cancellation = statement.cancellationDate else {
            all.append(fields)
            return
        }
        all.append(fields.refunded(cancellation))
    }
}
