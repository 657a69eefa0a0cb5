import AppReceiptFoundation
package import AppReceiptKit
import AppReceiptSupport

/// What remains of a revocation after everything else about the purchase was deleted, so that an old receipt or token
/// doesn't grant again.
///
/// It contains nothing about the customer. It isn't signed, and needs no proof, because it only takes away. Newer
/// signed evidence clears it as it clears the evidence that stated the revocation (rule 2).
package struct RevocationTombstone: Sendable {
    /// The app.
    package let app: String
    /// The environment.
    package let environment: AppStoreEnvironment
    /// The revocation, as its source stated it.
    package let evidence: TransactionEvidence

    /// The original transaction.
    package var original: String? { evidence.transaction.original }
}

extension RevocationTombstone {
    /// Reads a tombstone; nil if the text isn't one.
    ///
    /// - Parameters:
    ///   - text: The text that ``text`` returned.
    ///   - app: The app.
    ///   - environment: The environment.
    package init?(parsing text: String, app: String, environment: AppStoreEnvironment) {
        guard let claims = (try? AppStoreJSON(parsing: Array(text.utf8)[...]))?.object,
            let signed = claims.date("signedDate"), let revoked = claims.date("revocationDate"),
            let transaction = claims["transactionId"]?.string, let original = claims["originalTransactionId"]?.string
        else { return nil }
        let isFromReceipt = claims["isFromReceipt"]?.boolean == true
        let revocation = AppStoreTransaction.Revocation(
            revoked, reason: claims["revocationReason"]?.number?.int64, type: claims["revocationType"]?.string,
            percentage: claims["revocationPercentage"]?.number?.int64, isFromReceiptAlone: isFromReceipt)
        self.app = app
        self.environment = environment
        evidence = TransactionEvidence(
            AppStoreTransaction(
                productIdentifier: claims["productId"]?.string, transactionIdentifier: transaction,
                originalTransactionIdentifier: original, purchaseDate: claims.date("purchaseDate"),
                originalPurchaseDate: nil, expirationDate: nil, revocation: revocation, productType: nil,
                quantity: claims["quantity"]?.number?.int64.flatMap { Int(exactly: $0) }, isTrialPeriod: nil,
                isInIntroductoryOfferPeriod: nil, promotionalOfferIdentifier: nil,
                webOrderLineItemIdentifier: claims["webOrderLineItemId"]?.string.flatMap { UInt64($0) }),
            from: isFromReceipt ? .receipt : .token, signed: signed)
    }

    /// The text to store, in the names of signed transactions.
    package var text: String {
        let transaction = evidence.transaction
        var claims: AppStoreJSON.Object = [:]
        claims.set("signedDate", evidence.signedDate)
        if evidence.source == .receipt { claims["isFromReceipt"] = true }
        claims.set("transactionId", transaction.transactionIdentifier)
        claims.set("originalTransactionId", transaction.original)
        claims.set("productId", transaction.productIdentifier)
        claims.set("webOrderLineItemId", transaction.webOrderLineItemIdentifier.map { String($0) })
        claims.set("purchaseDate", transaction.purchaseDate)
        claims["quantity"] = transaction.quantity.map { .number(AppStoreJSON.Number(Int64($0))) }
        claims.set("revocationDate", transaction.revocation?.date)
        claims["revocationReason"] = (transaction.revocation?.reason).map { .number(AppStoreJSON.Number($0)) }
        claims.set("revocationType", transaction.revocation?.type)
        claims["revocationPercentage"] = (transaction.revocation?.percentage).map { .number(AppStoreJSON.Number($0)) }
        return String(decoding: AppStoreJSON.object(claims).text(), as: UTF8.self)
    }
}

extension CustomerEvidence {
    /// The tombstones of the revocations that are in effect.
    ///
    /// - Parameters:
    ///   - app: The app of the evidence.
    ///   - environment: Its environment.
    ///   - originals: The original transactions.
    package func tombstones(
        app: String, environment: AppStoreEnvironment, originals: Set<String>
    ) -> [RevocationTombstone] {
        let ledger = PurchaseLedger(self, app: app, environment: environment, originals: originals)
        let revoked = Set(ledger.transactions.filter(\.hasRevocation).compactMap(\.transactionIdentifier))
        let tokens = transactions.map {
            TransactionEvidence(AppStoreTransaction($0), from: .token, signed: $0.signedDate)
        }
        let listed = receipts.flatMap { receipt in
            receipt.evidence.transactions.map {
                TransactionEvidence($0, from: .receipt, signed: receipt.creationDate)
            }
        }
        return (tokens + listed + tombstones.map(\.evidence)).filter { evidence in
            evidence.transaction.hasRevocation
                && evidence.transaction.original.map(originals.contains) ?? false
                && evidence.transaction.transactionIdentifier.map(revoked.contains) ?? false
        }.map { RevocationTombstone(app: app, environment: environment, evidence: $0) }
    }
}

extension AppStoreJSON.Object {
    fileprivate func date(_ name: String) -> Date? {
        self[name]?.number?.int64.map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }

    fileprivate mutating func set(_ name: String, _ text: String?) { self[name] = text.map { .string($0) } }

    fileprivate mutating func set(_ name: String, _ date: Date?) {
        let milliseconds = date.flatMap { Int64(exactly: ($0.timeIntervalSince1970 * 1000).rounded()) }
        self[name] = milliseconds.map { .number(AppStoreJSON.Number($0)) }
    }
}
