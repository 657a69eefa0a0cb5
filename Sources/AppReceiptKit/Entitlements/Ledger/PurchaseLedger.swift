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

    /// The position in ``purchases`` of each transaction, by the transaction's key.
    private let positions: [String: Int]

    /// The copies among the purchases.
    let copies: PurchaseCopies

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
        self.environment = environment
        self.receipts = receipts
        self.transactions = transactions
        self.renewals = RenewalEvidence.newest(of: renewals)
        let evidence =
            receipts.flatMap { receipt in
                receipt.purchases.map { TransactionEvidence($0, from: .receipt, signed: receipt.creationDate) }
            } + transactions
        let isXcode = environment == .xcode
        var merged = Self.grouped(evidence, isXcode: isXcode).map { TransactionMerge.merged($0) }
        merged.sort { Purchase.isOlder($0, than: $1) }
        copies = PurchaseCopies(merged)
        copies.inheritRevocations(&merged)
        purchases = merged
        var positions = [String: Int](minimumCapacity: merged.count)
        for (position, purchase) in merged.enumerated() {
            if let key = Self.key(of: purchase, isXcode: isXcode) { positions[key] = position }
        }
        self.positions = positions
    }

    /// Returns the evidence of each transaction (rule 1). Evidence without a transaction identifier is of a transaction of its own.
    private static func grouped(_ evidence: [TransactionEvidence], isXcode: Bool) -> [[TransactionEvidence]] {
        var groups: [[TransactionEvidence]] = []
        groups.reserveCapacity(evidence.count)
        var indices = [String: Int](minimumCapacity: evidence.count)
        for one in evidence {
            guard let key = key(of: one.purchase, isXcode: isXcode) else {
                groups.append([one])
                continue
            }
            let index = indices[key, default: groups.count]
            if index < groups.count {
                groups[index].append(one)
            } else {
                indices[key] = index
                groups.append([one])
            }
        }
        return groups
    }

    /// Returns the key of a transaction within an app and environment, nil for one without an identifier.
    ///
    /// Xcode uses the same identifier for several transactions, so its keys include the product and date.
    private static func key(of purchase: Purchase, isXcode: Bool) -> String? {
        guard isXcode, let identifier = purchase.transactionIdentifier else { return purchase.transactionIdentifier }
        let second = purchase.purchaseDate.map { "\($0.wholeSeconds)" } ?? ""
        return "\(identifier)\0\(second)\0\(purchase.productIdentifier ?? "")"
    }

    /// Returns a transaction merged from all evidence, for a transaction from one source.
    package func merged(_ purchase: Purchase) -> Purchase { position(of: purchase).map { purchases[$0] } ?? purchase }

    /// Returns the position in ``purchases`` of each of the transactions from one source, nil for those that aren't in the ledger.
    package func positions(of transactions: [Purchase]) -> [Int?] { transactions.map { position(of: $0) } }

    private func position(of purchase: Purchase) -> Int? {
        Self.key(of: purchase, isXcode: environment == .xcode).flatMap { positions[$0] }
    }

    /// Returns the identifier that all transactions of a purchase share, nil for a transaction without any identifier.
    ///
    /// In Xcode's receipts, which lack original transactions, only the product connects the periods.
    package func original(of purchase: Purchase) -> String? {
        environment == .xcode
            ? purchase.originalTransactionIdentifier ?? purchase.productIdentifier : purchase.original
    }

    /// The date the newest evidence was signed, nil without evidence.
    var newestSignedDate: Date? {
        (receipts.map(\.creationDate) + transactions.map(\.signedDate) + renewals.values.map(\.signedDate)).max()
    }
}
