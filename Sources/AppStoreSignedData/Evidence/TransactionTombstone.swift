import AppReceiptFoundation
package import AppReceiptKit
import AppReceiptSupport

/// The rest of a transaction after everything else about the purchase was deleted: when Apple signed it last, and
/// whether it was revoked then. Older receipts and tokens that arrive again change neither.
///
/// It contains nothing about the customer. It isn't signed, and grants nothing: it has an effect only on signed
/// evidence of the transaction, or if it states a revocation. Newer signed evidence replaces it.
package struct TransactionTombstone: Sendable {
    /// The app.
    package let app: String
    /// The environment.
    package let environment: AppStoreEnvironment
    /// The last state of the transaction in tokens or in receipts.
    package let evidence: TransactionEvidence

    /// The original transaction.
    package var original: String? { evidence.transaction.original }
}

extension TransactionTombstone {
    /// Reads a tombstone; nil if the text isn't one.
    ///
    /// - Parameters:
    ///   - text: The text that ``text`` returned.
    ///   - app: The app.
    ///   - environment: The environment.
    package init?(parsing text: String, app: String, environment: AppStoreEnvironment) {
        guard let claims = (try? AppStoreJSON(parsing: Array(text.utf8)[...]))?.object,
            let signed = claims.date("signedDate"), let identifier = claims["transactionId"]?.string,
            let original = claims["originalTransactionId"]?.string
        else { return nil }
        let isFromReceipt = claims["isFromReceipt"]?.boolean == true
        let revocation = claims.date("revocationDate").map {
            AppStoreTransaction.Revocation(
                $0, reason: claims["revocationReason"]?.number?.int64, type: claims["revocationType"]?.string,
                percentage: claims["revocationPercentage"]?.number?.int64, isFromReceiptAlone: isFromReceipt)
        }
        let transaction = AppStoreTransaction {
            $0.productIdentifier = claims["productId"]?.string
            $0.transactionIdentifier = identifier
            $0.originalTransactionIdentifier = original
            $0.purchaseDate = claims.date("purchaseDate")
            $0.revocation = revocation
            $0.quantity = claims["quantity"]?.number?.int64.flatMap { Int(exactly: $0) }
            $0.webOrderLineItemIdentifier = claims["webOrderLineItemId"]?.string.flatMap { UInt64($0) }
            if !isFromReceipt { $0.isUpgraded = claims["isUpgraded"]?.boolean == true }
        }
        self.app = app
        self.environment = environment
        evidence = TransactionEvidence(
            transaction, from: isFromReceipt ? .receipt : .token, signed: signed, isTombstone: true)
    }

    /// The text to store, in the names of signed transactions.
    package var text: String {
        let transaction = evidence.transaction
        var claims: AppStoreJSON.Object = [:]
        claims.set("signedDate", evidence.signedDate)
        if evidence.source == .receipt { claims["isFromReceipt"] = true }
        claims.set("transactionId", transaction.transactionIdentifier)
        claims.set("originalTransactionId", transaction.original)
        if transaction.isUpgraded == true { claims["isUpgraded"] = true }
        guard let revocation = transaction.revocation else { return Self.text(of: claims) }
        claims.set("productId", transaction.productIdentifier)
        claims.set("webOrderLineItemId", transaction.webOrderLineItemIdentifier.map { String($0) })
        claims.set("purchaseDate", transaction.purchaseDate)
        claims["quantity"] = transaction.quantity.map { .number(AppStoreJSON.Number(Int64($0))) }
        claims.set("revocationDate", revocation.date)
        claims["revocationReason"] = revocation.reason.map { .number(AppStoreJSON.Number($0)) }
        claims.set("revocationType", revocation.type)
        claims["revocationPercentage"] = revocation.percentage.map { .number(AppStoreJSON.Number($0)) }
        return Self.text(of: claims)
    }

    private static func text(of claims: AppStoreJSON.Object) -> String {
        String(decoding: AppStoreJSON.object(claims).text(), as: UTF8.self)
    }
}

extension CustomerEvidence {
    /// Returns the tombstones of the transactions: one of each that tokens contain, and one of each that receipts
    /// contain.
    ///
    /// - Parameters:
    ///   - app: The app of the evidence.
    ///   - environment: Its environment.
    ///   - originals: The original transactions.
    package func tombstones(
        app: String, environment: AppStoreEnvironment, originals: Set<String>
    ) -> [TransactionTombstone] {
        let tokens = transactions.map {
            TransactionEvidence(AppStoreTransaction($0), from: .token, signed: $0.signedDate, token: $0.token)
        }
        let listed = receipts.flatMap { receipt in
            receipt.evidence.transactions.map {
                TransactionEvidence($0, from: .receipt, signed: receipt.creationDate)
            }
        }
        let evidence = tokens + listed + tombstones.map(\.evidence)
        let known = evidence.filter { $0.transaction.original.map(originals.contains) ?? false }
        return Dictionary(grouping: known.filter { $0.transaction.transactionIdentifier != nil }) {
            TombstoneKey(transaction: $0.transaction.transactionIdentifier, source: $0.source)
        }.values.compactMap { TransactionEvidence.tombstone(of: $0) }.map {
            TransactionTombstone(app: app, environment: environment, evidence: $0)
        }
    }
}

/// The key of a tombstone.
private struct TombstoneKey: Hashable {
    let transaction: String?
    let source: TransactionEvidence.Source
}

extension AppStoreJSON.Object {
    fileprivate func date(_ name: String) -> Date? {
        self[name]?.number?.int64.map { Date(milliseconds: $0) }
    }

    fileprivate mutating func set(_ name: String, _ text: String?) { self[name] = text.map { .string($0) } }

    fileprivate mutating func set(_ name: String, _ date: Date?) {
        self[name] = date?.milliseconds.map { .number(AppStoreJSON.Number($0)) }
    }
}
