import AppReceiptSupport
import AppStoreServerAPI

/// A customer in one app and environment: the transactions that any of their identifiers leads to.
struct FakeServerCustomer {
    /// The number of the customer, which revisions contain.
    let number: Int
    var transactions: [FakeServerTransaction] = []
    /// The renewal information, by original transaction.
    var renewals: [String: JSONObject] = [:]
    /// The claims of the app transaction.
    var appTransaction: JSONObject?
    /// The statuses that aren't derived, by original transaction.
    var statuses: [String: Int64] = [:]
    /// The account tokens that were set, by original transaction. Later renewals have them too.
    var accountTokens: [String: String] = [:]
    /// The extensions of renewal dates, by original transaction.
    var extensions: [String: [FakeServerExtension]] = [:]
    /// The claimed seats, by transaction.
    var seats: [String: [FakeServerSeatClaim]] = [:]

    var appTransactionIdentifier: String? { appTransaction?.string("appTransactionId") }

    /// Whether an identifier of a transaction, original transaction or app transaction is the customer's.
    func has(_ identifier: String) -> Bool {
        appTransactionIdentifier == identifier || hasTransaction(identifier)
            || transactions.contains { $0.members.string("appTransactionId") == identifier }
    }

    /// Whether an identifier of a transaction or original transaction is the customer's.
    func hasTransaction(_ identifier: String) -> Bool {
        renewals[identifier] != nil
            || transactions.contains { $0.identifier == identifier || $0.original == identifier }
    }

    /// The transaction with an identifier. For an original that isn't known itself, the first of its transactions.
    func transaction(_ identifier: String) -> FakeServerTransaction? {
        transactions.first { $0.identifier == identifier } ?? transactions.first { $0.original == identifier }
    }

    /// The latest period of each subscription, in the order of the originals.
    var subscriptions: [FakeServerTransaction] {
        var latest: [FakeServerTransaction] = []
        for transaction in transactions where transaction.isSubscription {
            guard let index = latest.firstIndex(where: { $0.original == transaction.original }) else {
                latest.append(transaction)
                continue
            }
            if transaction.purchase >= latest[index].purchase { latest[index] = transaction }
        }
        return latest
    }

    /// The latest period of a subscription.
    func subscription(_ original: String) -> FakeServerTransaction? {
        subscriptions.first { $0.original == original }
    }
}
