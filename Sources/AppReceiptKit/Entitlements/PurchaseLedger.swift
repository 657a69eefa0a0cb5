package import AppReceiptParsing
import AppReceiptSupport

#if canImport(FoundationEssentials)
package import FoundationEssentials
#else
package import Foundation
#endif

/// The evidence of one app and environment, merged into one purchase for each transaction.
///
/// Newer evidence wins, field by field, with two exceptions: revocations have separate rules (``TransactionMerge``), and are
/// inherited by copies of the transaction (``PurchaseCopies``). The order of arrival has no effect.
package struct PurchaseLedger: Sendable {
    /// The transactions, each once, oldest first.
    package let purchases: [Purchase]

    /// The newest renewal information of each original transaction.
    package let renewals: [String: RenewalEvidence]

    /// The index of each transaction in the order of the evidence, by the transaction's key.
    private let indices: [String: Int]

    /// For each index, the position in ``purchases``. Separate from ``indices``, because rewriting the values of a dictionary costs as much as
    /// building it.
    private let positions: [Int]

    /// The receipts before the merge.
    let receipts: [ReceiptEvidence]

    /// The signed transactions before the merge.
    let transactions: [TransactionEvidence]

    /// The environment of all evidence, nil if it isn't known.
    let environment: ReceiptEnvironment.Base?

    /// The purchases in one receipt.
    package struct ReceiptEvidence: Sendable {
        package let creationDate: Date
        package let purchases: [Purchase]

        package init(creationDate: Date, purchases: [Purchase]) {
            self.creationDate = creationDate
            self.purchases = purchases
        }

        /// Returns the evidence about these original transactions, or all of it for nil.
        package func only(_ originals: Set<String>?) -> ReceiptEvidence {
            guard let originals else { return self }
            return ReceiptEvidence(
                creationDate: creationDate,
                purchases: purchases.filter { $0.original.map(originals.contains) ?? false })
        }
    }

    /// Merges evidence.
    ///
    /// - Parameters:
    ///   - environment: The environment of all evidence. Xcode's receipts lack original transactions and repeat identifiers.
    ///   - receipts: The receipts, in any order.
    ///   - transactions: The signed transactions, in any order, with any number of copies of a transaction.
    ///   - renewals: The renewal information, in any order. It has no effect without a transaction or receipt of its original transaction.
    package init(
        environment: ReceiptEnvironment.Base?, receipts: [ReceiptEvidence], transactions: [TransactionEvidence] = [],
        renewals: [RenewalEvidence] = []
    ) {
        let isXcode = environment == .xcode
        self.environment = environment
        self.receipts = receipts
        self.transactions = transactions
        // Most transactions have one source. The others are merged when all of it is known.
        var results: [TransactionMerge.Result] = []
        var sources: [(kind: TransactionEvidence.Source, signedDate: Date)] = []
        var merges: [Int: TransactionMerge] = [:]
        let count = receipts.reduce(transactions.count) { $0 + $1.purchases.count }
        results.reserveCapacity(count)
        sources.reserveCapacity(count)
        var indices = [String: Int](minimumCapacity: count)
        func add(_ evidence: TransactionEvidence) {
            if let key = Self.key(of: evidence.purchase, isXcode: isXcode),
                let index = indices.updateValue(results.count, forKey: key)
            {
                indices[key] = index
                let first = TransactionEvidence(
                    results[index].purchase, from: sources[index].kind, signed: sources[index].signedDate)
                merges[index, default: TransactionMerge([first])].add(evidence)
                return
            }
            results.append(TransactionMerge.Result(evidence))
            sources.append((evidence.source, evidence.signedDate))
        }
        for receipt in receipts {
            for purchase in receipt.purchases {
                add(TransactionEvidence(purchase, from: .receipt, signed: receipt.creationDate))
            }
        }
        for transaction in transactions { add(transaction) }
        for (index, merge) in merges { results[index] = merge.result() }
        PurchaseCopies.inheritRevocations(&results)
        // Dates decide nearly always, and purchases are large.
        let dates = results.map { $0.purchase.purchaseDate ?? .distantPast }
        let order = dates.indices.sorted { left, right in
            guard dates[left] == dates[right] else { return dates[left] < dates[right] }
            return Purchase.isOlder(results[left].purchase, results[right].purchase)
        }
        purchases = order.map { results[$0].purchase }
        var positions = order
        for (position, index) in order.enumerated() { positions[index] = position }
        self.positions = positions
        self.indices = indices

        var latest: [String: RenewalEvidence] = [:]
        for renewal in renewals {
            let original = renewal.originalTransactionIdentifier
            if let known = latest[original], (known.signedDate, known.token) >= (renewal.signedDate, renewal.token) {
                continue
            }
            latest[original] = renewal
        }
        self.renewals = latest
    }

    /// Returns a transaction merged from all evidence, for a transaction from one source.
    package func merged(_ purchase: Purchase) -> Purchase { position(of: purchase).map { purchases[$0] } ?? purchase }

    private func position(of purchase: Purchase) -> Int? {
        Self.key(of: purchase, isXcode: environment == .xcode).flatMap { indices[$0] }.map { positions[$0] }
    }

    /// Returns the key of a transaction within an app and environment, nil for one without an identifier.
    ///
    /// Xcode uses the same identifier for several transactions, so its keys include the product and date.
    private static func key(of purchase: Purchase, isXcode: Bool) -> String? {
        guard isXcode, let identifier = purchase.transactionIdentifier else { return purchase.transactionIdentifier }
        let second = purchase.purchaseDate.map { "\($0.wholeSeconds)" } ?? ""
        return "\(identifier)\0\(second)\0\(purchase.productIdentifier ?? "")"
    }

    /// Returns the position in ``purchases`` of each of the transactions from one source, nil for those that aren't in the ledger.
    package func positions(of transactions: [Purchase]) -> [Int?] {
        transactions.enumerated().map { index, transaction in
            // Most receipts are the only evidence, and list their transactions newest or oldest first.
            let last = purchases.count - 1
            if index <= last {
                if purchases[last - index].isIdentical(to: transaction) { return last - index }
                if purchases[index].isIdentical(to: transaction) { return index }
            }
            return position(of: transaction)
        }
    }

    /// Returns those of the transactions that were refunded or revoked, merged from all evidence. Upgrades aren't included.
    package func revoked(among claimed: [Purchase]) -> [Purchase] {
        guard purchases.contains(where: \.hasRevocation) || claimed.contains(where: \.hasRevocation) else { return [] }
        var listed: Set<Purchase> = []
        let revoked = claimed.map(merged).filter { $0.hasRevocation && listed.insert($0).inserted }
        guard revoked.contains(where: { $0.revocation?.isFromReceiptAlone == true }) else { return revoked }
        let subscriptions = Dictionary(subscriptions.map { ($0.original, $0) }, uniquingKeysWith: { first, _ in first })
        return revoked.filter { purchase in
            guard let revocation = purchase.revocation, let original = original(of: purchase),
                purchase.isSubscriptionPeriod
            else { return true }
            return subscriptions[original]?.isUpgrade(revocation, of: purchase) != true
        }
    }

    /// Returns the identifier that all transactions of a purchase share, nil for a transaction without any identifier.
    ///
    /// In Xcode's receipts, which lack original transactions, only the product connects the periods.
    package func original(of purchase: Purchase) -> String? {
        environment == .xcode
            ? purchase.originalTransactionIdentifier ?? purchase.productIdentifier : purchase.original
    }

    /// The subscriptions, each with its periods, in the order of their first periods.
    package var subscriptions: [Subscription] {
        var numbers: [String: Int] = [:]
        var groups: [(original: String, positions: [Int])] = []
        for (position, purchase) in purchases.enumerated() where purchase.isSubscriptionPeriod {
            guard let original = original(of: purchase) else { continue }
            // Most periods of a subscription follow each other, and comparing an identifier takes less time than hashing it.
            if let last = groups.indices.last, groups[last].original == original {
                groups[last].positions.append(position)
                continue
            }
            let number = numbers[original, default: groups.count]
            if number == groups.count {
                numbers[original] = number
                groups.append((original, []))
            }
            groups[number].positions.append(position)
        }
        return groups.compactMap { original, positions in
            Subscription(original, purchases, at: positions, renewal: renewals[original])
        }
    }
}
