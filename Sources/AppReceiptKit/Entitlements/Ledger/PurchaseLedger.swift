package import AppReceiptFoundation
package import AppReceiptParsing
import AppReceiptSupport

/// The evidence of one app and environment, merged into one value for each transaction.
///
/// Newer evidence wins, field by field, with two exceptions: revocations have separate rules (``TransactionMerge``),
/// and are inherited by copies of the transaction (``PurchaseCopies``). The order of arrival has no effect.
package struct PurchaseLedger: Sendable {
    /// The transactions, each once, oldest first.
    package let transactions: [AppStoreTransaction]

    /// The newest renewal information of each original transaction.
    package let renewals: [String: RenewalEvidence]

    /// The original transactions, by their first transactions.
    let originals: [Original]

    /// The copies among the transactions.
    let copies: PurchaseCopies

    /// The receipts before the merge.
    let receipts: [ReceiptEvidence]

    /// The signed transactions before the merge.
    let signedTransactions: [TransactionEvidence]

    /// The environment of all evidence, nil if it isn't known.
    let environment: AppStoreEnvironment?

    /// An original transaction, and the positions of its transactions in ascending order.
    struct Original {
        /// Nil for a transaction without any identifier.
        let identifier: String?
        var positions: [Int]
    }

    /// The transactions in one receipt.
    package struct ReceiptEvidence: Sendable {
        package let creationDate: Date
        package let transactions: [AppStoreTransaction]

        package init(creationDate: Date, transactions: [AppStoreTransaction]) {
            self.creationDate = creationDate
            self.transactions = transactions
        }

        /// Returns the evidence about these original transactions, or all of it for nil.
        package func only(_ originals: Set<String>?) -> ReceiptEvidence {
            guard let originals else { return self }
            return ReceiptEvidence(
                creationDate: creationDate,
                transactions: transactions.filter { $0.original.map(originals.contains) ?? false })
        }
    }

    /// Merges evidence.
    ///
    /// - Parameters:
    ///   - environment: The environment of all evidence. Xcode's receipts lack original transactions and repeat
    ///     identifiers.
    ///   - receipts: The receipts, in any order.
    ///   - transactions: The signed transactions, in any order, with any number of copies of a transaction.
    ///   - renewals: The renewal information, in any order. It has no effect without a transaction or receipt of its
    ///     original transaction.
    package init(
        environment: AppStoreEnvironment?, receipts: [ReceiptEvidence], transactions: [TransactionEvidence] = [],
        renewals: [RenewalEvidence] = []
    ) {
        self.environment = environment
        self.receipts = receipts
        signedTransactions = transactions
        self.renewals = RenewalEvidence.newest(of: renewals)
        let isXcode = environment == .xcode
        var merged = Self.merged(receipts, with: transactions, isXcode: isXcode)
        merged.sort { AppStoreTransaction.isOlder($0, than: $1) }
        originals = Self.originals(merged, isXcode: isXcode)
        copies = PurchaseCopies(merged, originals: originals.map(\.positions))
        copies.inheritRevocations(&merged)
        self.transactions = merged
    }

    /// Merges the evidence of each transaction. Evidence without a transaction identifier is of a transaction of its
    /// own.
    private static func merged(
        _ receipts: [ReceiptEvidence], with transactions: [TransactionEvidence], isXcode: Bool
    ) -> [AppStoreTransaction] {
        let count = receipts.reduce(transactions.count) { $0 + $1.transactions.count }
        var first: [TransactionEvidence] = []
        first.reserveCapacity(count)
        var indices = [String: Int](minimumCapacity: count)
        // Most transactions have one source, and need no array.
        var more: [Int: [TransactionEvidence]] = [:]
        func add(_ evidence: TransactionEvidence) {
            guard let key = key(of: evidence.transaction, isXcode: isXcode) else { return first.append(evidence) }
            let index = indices[key, default: first.count]
            if index < first.count {
                more[index, default: []].append(evidence)
            } else {
                indices[key] = index
                first.append(evidence)
            }
        }
        for receipt in receipts {
            for transaction in receipt.transactions {
                add(TransactionEvidence(transaction, from: .receipt, signed: receipt.creationDate))
            }
        }
        for transaction in transactions { add(transaction) }
        let merged = first.indices.map {
            TransactionMerge.merged(first[$0], with: more.isEmpty ? [] : more[$0] ?? [])
        }
        guard transactions.contains(where: \.isTombstone) else { return merged }
        // Tombstones aren't signed, so alone they only take away.
        return first.indices.filter { index in
            merged[index].hasRevocation || !first[index].isTombstone
                || !(more[index] ?? []).allSatisfy(\.isTombstone)
        }.map { merged[$0] }
    }

    private static func originals(_ transactions: [AppStoreTransaction], isXcode: Bool) -> [Original] {
        var originals: [Original] = []
        var indices = [String: Int](minimumCapacity: transactions.count)
        for (position, transaction) in transactions.enumerated() {
            let identifier = original(of: transaction, isXcode: isXcode)
            if let index = identifier.flatMap({ indices[$0] }) {
                originals[index].positions.append(position)
                continue
            }
            if let identifier { indices[identifier] = originals.count }
            originals.append(Original(identifier: identifier, positions: [position]))
        }
        return originals
    }

    /// Returns the key of a transaction within an app and environment, nil for one without an identifier.
    ///
    /// Xcode uses the same identifier for several transactions, so its keys include the product and date.
    private static func key(of transaction: AppStoreTransaction, isXcode: Bool) -> String? {
        guard isXcode, let identifier = transaction.transactionIdentifier else {
            return transaction.transactionIdentifier
        }
        let second = transaction.purchaseDate.map { "\($0.wholeSeconds)" } ?? ""
        return "\(identifier)\0\(second)\0\(transaction.productIdentifier ?? "")"
    }

    /// Returns the position in ``transactions`` of each of the transactions from one source, nil for those that aren't
    /// in the ledger.
    package func positions(of transactions: [AppStoreTransaction]) -> [Int?] {
        let isXcode = environment == .xcode
        var positions = [String: Int](minimumCapacity: self.transactions.count)
        for (position, transaction) in self.transactions.enumerated() {
            if let key = Self.key(of: transaction, isXcode: isXcode) { positions[key] = position }
        }
        return transactions.map { Self.key(of: $0, isXcode: isXcode).flatMap { positions[$0] } }
    }

    /// Returns a transaction merged from all evidence, for a transaction from one source.
    package func merged(_ transaction: AppStoreTransaction) -> AppStoreTransaction { merged([transaction])[0] }

    /// Returns the transactions merged from all evidence, for transactions from one source.
    package func merged(_ transactions: [AppStoreTransaction]) -> [AppStoreTransaction] {
        zip(transactions, positions(of: transactions)).map { own, position in
            position.map { self.transactions[$0] } ?? own
        }
    }

    /// Returns the identifier that all transactions of a purchase share, nil for a transaction without any identifier.
    package func original(of transaction: AppStoreTransaction) -> String? {
        Self.original(of: transaction, isXcode: environment == .xcode)
    }

    private static func original(of transaction: AppStoreTransaction, isXcode: Bool) -> String? {
        isXcode ? transaction.originalInXcode : transaction.original
    }

    /// Returns the date for which entitlements are derived: the newest one that Apple signed if that is later than the
    /// current time (rule 7 of WhatACustomerOwns).
    func date(now: Date) -> Date { max(now, newestSignedDate ?? now) }

    /// The date the newest evidence was signed, nil without evidence.
    ///
    /// Transaction receipts don't contain that date, and a period may begin after it. Their dates count only
    /// without other evidence.
    var newestSignedDate: Date? {
        let tokens = signedTransactions.filter { $0.source == .token }
        let dates = receipts.map(\.creationDate) + tokens.map(\.signedDate) + renewals.values.map(\.signedDate)
        return dates.max() ?? signedTransactions.map(\.signedDate).max()
    }
}
