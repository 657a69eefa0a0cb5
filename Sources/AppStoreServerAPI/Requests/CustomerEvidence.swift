import AppReceiptKit
import AppStoreSignedData

/// What the signed data of an answer proves about the customer it belongs to.
///
/// Apple signs each transaction, but not the list that contains it, and no transaction names its customer. What connects a list with the
/// request is the requested identifier in one of its items, or an original transaction or app transaction that an item shares with the
/// requested transaction.
@available(AppStoreServerAPI 1.0, *)
struct CustomerEvidence: Sendable {
    /// Whether the answer contains the requested identifier.
    private(set) var isNamed = false
    /// Whether an item was rejected, which may be the one that contains the identifier.
    private(set) var hasRejectedItems = false
    /// The original transactions.
    private(set) var originals: Set<String> = []
    /// The app transactions.
    private(set) var appTransactions: Set<String> = []
    /// The app transactions of purchases that the customer made, and not another member of the family.
    private(set) var ownAppTransactions: Set<String> = []
    /// Whether there is anything to believe.
    private(set) var isEmpty = true

    /// Whether the purchases are of several customers: one customer's own purchases in an app name a single app transaction.
    var isMixed: Bool { ownAppTransactions.count > 1 }

    private let identifier: String

    /// - Parameter identifier: The requested identifier.
    init(_ identifier: String) { self.identifier = identifier }

    mutating func add(_ transactions: [VerifiedTransaction], rejected: [RejectedItem] = []) {
        if !rejected.isEmpty { hasRejectedItems = true }
        for claims in transactions.lazy.map(\.claims) {
            add(claims.originalTransactionIdentifier, claims.appTransactionIdentifier, isOwn: claims.isOwnPurchase)
            if claims.transactionIdentifier == identifier { isNamed = true }
        }
    }

    mutating func add(_ renewalInfo: VerifiedRenewalInfo) {
        let claims = renewalInfo.claims
        add(claims.originalTransactionIdentifier, claims.appTransactionIdentifier, isOwn: false)
    }

    mutating func add(_ appTransaction: VerifiedAppTransaction) {
        add(nil, appTransaction.claims.appTransactionIdentifier, isOwn: true)
    }

    private mutating func add(_ original: String?, _ appTransaction: String?, isOwn: Bool) {
        isEmpty = false
        if let original { originals.insert(original) }
        if let appTransaction {
            appTransactions.insert(appTransaction)
            if isOwn { ownAppTransactions.insert(appTransaction) }
        }
        if original == identifier || appTransaction == identifier { isNamed = true }
    }

    /// Whether both are of the same customer because they share an original transaction or an app transaction, and nothing contradicts that.
    func shares(with other: CustomerEvidence) -> Bool {
        guard !contradicts(other) else { return false }
        return !originals.isDisjoint(with: other.originals) || !appTransactions.isDisjoint(with: other.appTransactions)
    }

    /// Whether both are of different customers, because the app transactions of their own purchases differ.
    func contradicts(_ other: CustomerEvidence) -> Bool {
        ownAppTransactions.union(other.ownAppTransactions).count > 1
    }
}

@available(AppStoreServerAPI 1.0, *)
extension TransactionClaims {
    /// Whether the customer made the purchase. It isn't documented whose app transaction a shared purchase names.
    fileprivate var isOwnPurchase: Bool { ownership == nil || ownership == .purchased }
}
