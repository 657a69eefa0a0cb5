import AppReceiptKit
import AppStoreSignedData

/// What the signed data of an answer proves about the customer it belongs to.
///
/// Apple signs each transaction, but not the list that contains it, and no transaction names its customer. What connects a list with the
/// request is the requested identifier in one of its items, or an original transaction or app transaction that an item shares with the
/// requested transaction. Different app transactions prove nothing: `appTransactionId` changes between the periods of one subscription.
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
    /// Whether there is anything to believe.
    private(set) var isEmpty = true

    private let identifier: String

    /// - Parameter identifier: The requested identifier.
    init(_ identifier: String) { self.identifier = identifier }

    mutating func add(_ transactions: [VerifiedTransaction], rejected: [RejectedItem] = []) {
        if !rejected.isEmpty { hasRejectedItems = true }
        for claims in transactions.lazy.map(\.claims) {
            add(claims.originalTransactionIdentifier, claims.appTransactionIdentifier)
            if claims.transactionIdentifier == identifier { isNamed = true }
        }
    }

    mutating func add(_ renewalInfo: VerifiedRenewalInfo) {
        let claims = renewalInfo.claims
        add(claims.originalTransactionIdentifier, claims.appTransactionIdentifier)
    }

    mutating func add(_ appTransaction: VerifiedAppTransaction) {
        add(nil, appTransaction.claims.appTransactionIdentifier)
    }

    private mutating func add(_ original: String?, _ appTransaction: String?) {
        isEmpty = false
        if let original { originals.insert(original) }
        if let appTransaction { appTransactions.insert(appTransaction) }
        if original == identifier || appTransaction == identifier { isNamed = true }
    }

    /// Whether both are of the same customer because they share an original transaction or an app transaction.
    func shares(with other: CustomerEvidence) -> Bool {
        !originals.isDisjoint(with: other.originals) || !appTransactions.isDisjoint(with: other.appTransactions)
    }
}
