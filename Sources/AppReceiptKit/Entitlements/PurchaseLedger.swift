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

    /// What is known about each original transaction.
    private let originals: [String: OriginalEvidence]

    private let newestOfAll: Date

    private let isXcode: Bool

    /// The evidence about an original transaction.
    private struct OriginalEvidence: Sendable, Hashable {
        /// The date the newest evidence was signed.
        var newest = Date.distantPast
        /// The last receipt that contains it. Most are in one receipt, which needs no array.
        private var last: ReceiptOccurrence?
        private var earlier: [ReceiptOccurrence] = []

        /// Adds a purchase in a receipt. All of a receipt must be added before another one.
        mutating func add(_ purchase: Purchase, in receipt: Int, created creationDate: Date) {
            if last?.receipt != receipt {
                if let last { earlier.append(last) }
                last = ReceiptOccurrence(receipt: receipt, creationDate: creationDate)
                newest = max(newest, creationDate)
            }
            last?.add(purchase)
        }

        /// Whether a receipt that contains it meets a condition.
        func contains(where condition: (ReceiptOccurrence) -> Bool) -> Bool {
            last.map(condition) == true || earlier.contains(where: condition)
        }
    }

    /// A receipt that contains an original transaction.
    private struct ReceiptOccurrence: Sendable, Hashable {
        /// The position of the receipt in the evidence.
        let receipt: Int
        let creationDate: Date
        /// The start of the last period in the receipt, nil if it contains none.
        private(set) var lastStart: Date?

        init(receipt: Int, creationDate: Date) {
            self.receipt = receipt
            self.creationDate = creationDate
        }

        mutating func add(_ purchase: Purchase) {
            // A copy that was restored after the end of its period isn't a later period.
            guard purchase.isSubscriptionPeriod, let start = purchase.purchaseDate,
                start <= purchase.expirationDate ?? start
            else { return }
            lastStart = max(lastStart ?? start, start)
        }
    }

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
        self.isXcode = isXcode
        // Most transactions have one source. The others are merged when all of it is known.
        var results: [TransactionMerge.Result] = []
        var sources: [(kind: TransactionEvidence.Source, signedDate: Date)] = []
        var merges: [Int: TransactionMerge] = [:]
        let count = receipts.reduce(transactions.count) { $0 + $1.purchases.count }
        results.reserveCapacity(count)
        sources.reserveCapacity(count)
        var indices = [String: Int](minimumCapacity: count)
        var originals = [String: OriginalEvidence](minimumCapacity: count)
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
        for (number, receipt) in receipts.enumerated() {
            for purchase in receipt.purchases {
                add(TransactionEvidence(purchase, from: .receipt, signed: receipt.creationDate))
                guard let original = Self.original(of: purchase, isXcode: isXcode) else { continue }
                originals[original, default: OriginalEvidence()].add(
                    purchase, in: number, created: receipt.creationDate)
            }
        }
        for transaction in transactions {
            add(transaction)
            guard let original = Self.original(of: transaction.purchase, isXcode: isXcode) else { continue }
            let newest = originals[original]?.newest ?? .distantPast
            originals[original, default: OriginalEvidence()].newest = max(newest, transaction.signedDate)
        }
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
        for (original, renewal) in latest {
            guard let known = originals[original] else { continue }
            originals[original]?.newest = max(known.newest, renewal.signedDate)
        }
        self.renewals = latest.isEmpty ? latest : latest.filter { originals[$0.key] != nil }
        self.originals = originals
        newestOfAll = originals.values.reduce(receipts.lazy.map(\.creationDate).max() ?? .distantPast) {
            max($0, $1.newest)
        }
    }

    /// Returns a transaction merged from all evidence, for a transaction from one source.
    package func merged(_ purchase: Purchase) -> Purchase { position(of: purchase).map { purchases[$0] } ?? purchase }

    private func position(of purchase: Purchase) -> Int? {
        Self.key(of: purchase, isXcode: isXcode).flatMap { indices[$0] }.map { positions[$0] }
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
    package func original(of purchase: Purchase) -> String? { Self.original(of: purchase, isXcode: isXcode) }

    /// In Xcode's receipts, which lack original transactions, only the product connects the periods.
    private static func original(of purchase: Purchase, isXcode: Bool) -> String? {
        isXcode ? purchase.originalTransactionIdentifier ?? purchase.productIdentifier : purchase.original
    }

    /// Returns the original transaction to report. Outside of Xcode, a transaction without one is its own original.
    func reportedOriginal(of purchase: Purchase) -> String? {
        isXcode ? purchase.originalTransactionIdentifier : purchase.original
    }

    /// Returns the date the newest evidence of an original transaction was signed; for nil, the newest date of all evidence.
    func asOf(_ original: String?) -> Date {
        original.flatMap { originals[$0]?.newest } ?? newestOfAll
    }

    /// Returns whether a receipt proves that no period followed: it contains the original transaction, was created after the period's
    /// end, and contains no later period.
    func isLastPeriod(start: Date, end: Date, of original: String) -> Bool {
        originals[original]?.contains { occurrence in
            occurrence.creationDate >= end && occurrence.lastStart.map { $0.wholeSeconds <= start.wholeSeconds } ?? true
        } == true
    }

    /// The subscriptions, each with its periods, in the order of their first periods.
    package var subscriptions: [Subscription] {
        var numbers: [String: Int] = [:]
        var groups: [(original: String, positions: [Int])] = []
        for (position, purchase) in purchases.enumerated() where purchase.isSubscriptionPeriod {
            guard let original = original(of: purchase) else { continue }
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
