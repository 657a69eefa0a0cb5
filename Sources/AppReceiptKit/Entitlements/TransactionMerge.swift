import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Merges the evidence of one transaction. Newer evidence wins, field by field.
struct TransactionMerge {
    private var evidence: [TransactionEvidence]

    init(_ evidence: [TransactionEvidence]) { self.evidence = evidence }

    /// A merged transaction.
    struct Result {
        var purchase: Purchase
        /// The other expiration dates in the sources, in whole seconds. Copies have at least one date in common.
        var otherExpirations: Set<Double> = []

        /// Creates the result for a transaction without other evidence.
        init(_ evidence: TransactionEvidence) {
            purchase = evidence.purchase
            if let date = evidence.upgradeSignedDate { purchase.upgradeSignedDate = date }
        }

        fileprivate init(_ purchase: Purchase) { self.purchase = purchase }
    }

    mutating func add(_ evidence: TransactionEvidence) { self.evidence.append(evidence) }

    /// Returns the merged transaction. Requires at least one piece of evidence.
    func result() -> Result {
        let ordered = evidence.sorted(by: Self.isOlder)
        var purchase = ordered[ordered.count - 1].purchase
        purchase.upgradeSignedDate = ordered.last { $0.source == .token }?.upgradeSignedDate
        for older in ordered.dropLast().reversed() { purchase = purchase.completed(by: older.purchase) }
        purchase.expirationDate = Self.expirationDate(ordered)
        purchase.revocation = Self.revocation(ordered)
        var result = Result(purchase)
        result.otherExpirations = Set(ordered.compactMap { $0.purchase.expirationDate?.wholeSeconds })
        if let own = purchase.expirationDate { result.otherExpirations.remove(own.wholeSeconds) }
        return result
    }

    /// Sorts by date. At equal dates, tokens follow receipts, and evidence with a revocation or upgrade follows evidence without it.
    private static func isOlder(_ left: TransactionEvidence, _ right: TransactionEvidence) -> Bool {
        if left.signedDate != right.signedDate { return left.signedDate < right.signedDate }
        if left.source != right.source { return left.source.rawValue < right.source.rawValue }
        let (leftRevoked, rightRevoked) = (left.purchase.hasRevocation, right.purchase.hasRevocation)
        if leftRevoked != rightRevoked { return rightRevoked }
        let (leftUpgraded, rightUpgraded) = (left.purchase.isUpgraded == true, right.purchase.isUpgraded == true)
        if leftUpgraded != rightUpgraded { return rightUpgraded }
        return Purchase.isOlder(left.purchase, right.purchase)
    }

    /// Returns the newest token's expiration date. A receipt that isn't older may extend it but not shorten it, because receipts lag.
    private static func expirationDate(_ ordered: [TransactionEvidence]) -> Date? {
        let withExpiration = ordered.filter { $0.purchase.expirationDate != nil }
        guard let receipt = withExpiration.last(where: { $0.source == .receipt }) else {
            return withExpiration.last?.purchase.expirationDate
        }
        guard let token = withExpiration.last(where: { $0.source == .token }) else {
            return receipt.purchase.expirationDate
        }
        guard receipt.signedDate >= token.signedDate, let claimed = token.purchase.expirationDate,
            let extended = receipt.purchase.expirationDate
        else { return token.purchase.expirationDate }
        return max(claimed, extended)
    }

    /// Returns the revocation that is in effect.
    ///
    /// A token's revocation is cleared only by a later token of the same transaction. A receipt's revocation is also cleared by
    /// a newer receipt that contains the transaction. A token of an upgraded transaction doesn't clear a receipt's cancellation date:
    /// for upgrades, receipts have a cancellation date and tokens don't.
    private static func revocation(_ ordered: [TransactionEvidence]) -> Purchase.Revocation? {
        let token = ordered.last { $0.source == .token }
        let receipt = ordered.last { $0.source == .receipt }
        if let revocation = token?.purchase.revocation { return revocation }
        guard let receipt, let revocation = receipt.purchase.revocation else { return nil }
        // Only the newest token is used, so that a history that keeps no older ones has the same result.
        if let token, token.signedDate > receipt.signedDate, token.purchase.isUpgraded != true { return nil }
        return revocation
    }
}

extension TransactionEvidence {
    /// The date of the source if it is a token that contains an upgrade.
    fileprivate var upgradeSignedDate: Date? { source == .token && purchase.isUpgraded == true ? signedDate : nil }
}

extension Purchase {
    /// Returns this purchase with the missing values taken from older evidence.
    fileprivate func completed(by older: Purchase) -> Purchase {
        var completed = Purchase(
            productIdentifier: productIdentifier ?? older.productIdentifier,
            transactionIdentifier: transactionIdentifier ?? older.transactionIdentifier,
            originalTransactionIdentifier: originalTransactionIdentifier ?? older.originalTransactionIdentifier,
            purchaseDate: purchaseDate ?? older.purchaseDate,
            originalPurchaseDate: originalPurchaseDate ?? older.originalPurchaseDate,
            expirationDate: expirationDate ?? older.expirationDate, revocation: revocation,
            productType: productType ?? older.productType, quantity: quantity ?? older.quantity,
            isTrialPeriod: isTrialPeriod ?? older.isTrialPeriod,
            isInIntroductoryOfferPeriod: isInIntroductoryOfferPeriod ?? older.isInIntroductoryOfferPeriod,
            promotionalOfferIdentifier: promotionalOfferIdentifier ?? older.promotionalOfferIdentifier,
            webOrderLineItemIdentifier: webOrderLineItemIdentifier ?? older.webOrderLineItemIdentifier)
        completed.isUpgraded = isUpgraded ?? older.isUpgraded
        completed.upgradeSignedDate = upgradeSignedDate
        completed.ownership = ownership ?? older.ownership
        completed.subscriptionGroupIdentifier = subscriptionGroupIdentifier ?? older.subscriptionGroupIdentifier
        completed.appAccountToken = appAccountToken ?? older.appAccountToken
        completed.offerCodeReferenceName = offerCodeReferenceName ?? older.offerCodeReferenceName
        completed.sharesPeriod = sharesPeriod || older.sharesPeriod
        completed.revokedSeatQuantity = revokedSeatQuantity ?? older.revokedSeatQuantity
        return completed
    }
}
