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
package struct PurchaseLedger: Sendable, Hashable {
    /// The transactions, each once, oldest first.
    package let purchases: [Purchase]

    /// The newest renewal information of each original transaction.
    package let renewals: [String: RenewalEvidence]

    private let positions: [TransactionKey: Int]

    /// What the evidence contains about each original transaction.
    private let originals: [String: OriginalEvidence]

    private let newestOfAll: Date

    private let isXcode: Bool

    /// What the evidence contains about one original transaction.
    fileprivate struct OriginalEvidence: Sendable, Hashable {
        /// The date the newest evidence was signed.
        var newest = Date.distantPast
        /// The last receipt that contains the original transaction. Most evidence has only one receipt.
        var occurrence: ReceiptOccurrence?
        /// The receipts before the last one.
        var earlierOccurrences: [ReceiptOccurrence] = []
    }

    /// A receipt that contains an original transaction.
    fileprivate struct ReceiptOccurrence: Sendable, Hashable {
        /// The position of the receipt in the evidence.
        let receipt: Int
        let creationDate: Date
        /// The start of the last period in the receipt, nil if it contains none.
        var lastStart: Date?

        /// Whether the receipt proves that no period followed one that starts and ends at these dates.
        func isAfterLastPeriod(start: Date, end: Date) -> Bool {
            creationDate >= end && lastStart.map { $0.wholeSeconds <= start.wholeSeconds } ?? true
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
        let count = receipts.reduce(transactions.count) { $0 + $1.purchases.count }
        var merges: [TransactionMerge] = []
        merges.reserveCapacity(count)
        var positions = [TransactionKey: Int](minimumCapacity: count)
        var unidentified: [Purchase] = []
        var originals: [String: OriginalEvidence] = [:]
        func add(_ evidence: TransactionEvidence) {
            guard let key = TransactionKey(evidence.purchase, isXcode: isXcode) else {
                return unidentified.append(evidence.purchase)
            }
            if let position = positions[key] {
                merges[position].add(evidence)
            } else {
                positions[key] = merges.count
                merges.append(TransactionMerge(evidence))
            }
        }
        for (index, receipt) in receipts.enumerated() {
            for purchase in receipt.purchases {
                add(TransactionEvidence(purchase, from: .receipt, signed: receipt.creationDate))
                guard let original = Self.original(of: purchase, isXcode: isXcode) else { continue }
                originals[original, default: OriginalEvidence()].add(purchase, receipt: index, receipt.creationDate)
            }
        }
        for transaction in transactions {
            add(transaction)
            guard let original = Self.original(of: transaction.purchase, isXcode: isXcode) else { continue }
            originals[original, default: OriginalEvidence()].add(signed: transaction.signedDate)
        }
        let merged = PurchaseCopies.inheritingRevocations(
            merges.map { $0.result() } + unidentified.map { TransactionMerge.Result($0) })
        // Only indices are sorted, because purchases are large, by numbers, because comparing dates is slower.
        let dates = merged.map { ($0.purchaseDate ?? .distantPast).timeIntervalSinceReferenceDate }
        let order = merged.indices.sorted { left, right in
            dates[left] != dates[right]
                ? dates[left] < dates[right] : Purchase.isOlder(merged[left], merged[right])
        }
        purchases = order.map { merged[$0] }
        var sorted = [Int](repeating: 0, count: merged.count)
        for (position, index) in order.enumerated() { sorted[index] = position }
        self.positions = positions.mapValues { sorted[$0] }

        var latest: [String: RenewalEvidence] = [:]
        for renewal in renewals {
            let original = renewal.originalTransactionIdentifier
            if let known = latest[original], (known.signedDate, known.token) >= (renewal.signedDate, renewal.token) {
                continue
            }
            latest[original] = renewal
        }
        for (original, renewal) in latest { originals[original]?.add(signed: renewal.signedDate) }
        self.renewals = latest.filter { originals[$0.key] != nil }
        self.originals = originals
        newestOfAll = max(
            receipts.lazy.map(\.creationDate).max() ?? .distantPast,
            originals.values.lazy.map(\.newest).max() ?? .distantPast)
    }

    /// Returns a transaction merged from all evidence, for a transaction from one source.
    package func merged(_ purchase: Purchase) -> Purchase { position(of: purchase).map { purchases[$0] } ?? purchase }

    /// Returns the position in ``purchases`` of a transaction from one source, nil if it has no identifier.
    package func position(of purchase: Purchase) -> Int? {
        TransactionKey(purchase, isXcode: isXcode).flatMap { positions[$0] }
    }

    /// Returns those of the transactions that were refunded or revoked, merged from all evidence. Upgrades aren't included.
    package func revoked(among claimed: [Purchase]) -> [Purchase] {
        var listed: Set<Purchase> = []
        let revoked = claimed.map(merged).filter { $0.revocation != nil && listed.insert($0).inserted }
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
        guard let evidence = originals[original] else { return false }
        return evidence.occurrence?.isAfterLastPeriod(start: start, end: end) == true
            || evidence.earlierOccurrences.contains { $0.isAfterLastPeriod(start: start, end: end) }
    }

    /// The subscriptions, each with its periods, in the order of their first periods.
    package var subscriptions: [Subscription] {
        var periods: [String: [Purchase]] = [:]
        var order: [String] = []
        for purchase in purchases where purchase.isSubscriptionPeriod {
            guard let original = original(of: purchase) else { continue }
            if periods[original] == nil { order.append(original) }
            periods[original, default: []].append(purchase)
        }
        return order.compactMap { original in
            Subscription(original, periods[original] ?? [], renewal: renewals[original])
        }
    }
}

extension PurchaseLedger.OriginalEvidence {
    mutating func add(signed date: Date) { newest = max(newest, date) }

    /// Adds a purchase in a receipt.
    ///
    /// - Parameters:
    ///   - receipt: The position of the receipt in the evidence.
    ///   - creationDate: The date the receipt was created.
    mutating func add(_ purchase: Purchase, receipt: Int, _ creationDate: Date) {
        add(signed: creationDate)
        if occurrence?.receipt != receipt {
            if let occurrence { earlierOccurrences.append(occurrence) }
            occurrence = PurchaseLedger.ReceiptOccurrence(receipt: receipt, creationDate: creationDate)
        }
        // A copy that was restored after the end of its period isn't a later period.
        guard purchase.isSubscriptionPeriod, let start = purchase.purchaseDate,
            start <= purchase.expirationDate ?? start
        else { return }
        let lastStart = occurrence?.lastStart ?? start
        occurrence?.lastStart = max(lastStart, start)
    }
}

/// The identity of a transaction within an app and environment.
private struct TransactionKey: Sendable, Hashable {
    let transaction: String
    let product: String?
    let second: Double?

    /// Creates a key. Xcode uses the same identifier for several transactions, so its keys include the product and date.
    init?(_ purchase: Purchase, isXcode: Bool) {
        guard let identifier = purchase.transactionIdentifier else { return nil }
        transaction = identifier
        product = isXcode ? purchase.productIdentifier : nil
        second = isXcode ? purchase.purchaseDate?.wholeSeconds : nil
    }

    /// Hashes the transaction, and what only keys of Xcode have.
    func hash(into hasher: inout Hasher) {
        hasher.combine(transaction)
        if let product { hasher.combine(product) }
        if let second { hasher.combine(second) }
    }
}
