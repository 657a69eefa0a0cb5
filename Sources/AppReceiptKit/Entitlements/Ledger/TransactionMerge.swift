import AppReceiptFoundation
import AppReceiptSupport

/// Merges the evidence of one transaction. Newer evidence wins, field by field (rule 2 of WhatACustomerOwns).
enum TransactionMerge {
    /// Returns the transaction that results from all evidence of it.
    ///
    /// - Parameters:
    ///   - first: Any of the evidence.
    ///   - others: The rest, in any order.
    static func merged(_ first: TransactionEvidence, with others: [TransactionEvidence]) -> AppStoreTransaction {
        guard !others.isEmpty else {
            // A receipt's transaction needs no change, which would copy it.
            guard first.upgradeSignedDate != nil || first.transaction.hasNoOffer else { return first.transaction }
            return first.transaction.with {
                if let date = first.upgradeSignedDate { $0.upgradeSignedDate = date }
                $0.completeOffer()
            }
        }
        let ordered = ([first] + others).sorted {
            $0.order == $1.order
                ? AppStoreTransaction.isOlder($0.transaction, than: $1.transaction) : $0.order < $1.order
        }
        let base = ordered.lastIndex { !$0.isTombstone } ?? ordered.count - 1
        var values = ordered[base].transaction.values
        for other in ordered.indices.reversed() where other != base {
            values.complete(by: ordered[other].transaction.values)
        }
        values.isUpgraded = newest(in: ordered) { $0.source == .token ? $0.transaction.isUpgraded : nil }
        // Only the newest token counts, so that a history that keeps no older ones has the same result.
        values.earlySignedDate = ordered.last { $0.source == .token }?.transaction.earlySignedDate
        values.upgradeSignedDate = ordered.last { $0.source == .token }?.upgradeSignedDate
        values.purchaseDate = precise(values.purchaseDate, among: ordered.map(\.transaction.purchaseDate))
        values.originalPurchaseDate = precise(
            values.originalPurchaseDate, among: ordered.map(\.transaction.originalPurchaseDate))
        values.expirationDate = precise(
            expirationDate(ordered) ?? newest(in: ordered) { $0.transaction.expirationDate },
            among: ordered.map(\.transaction.expirationDate))
        // A token without the payment mode of an offer implies an introductory price, which a trial isn't.
        if values.isTrialPeriod == true {
            values.isInIntroductoryOfferPeriod =
                newest(in: ordered) { $0.source == .receipt ? $0.transaction.isInIntroductoryOfferPeriod : nil }
                ?? values.isInIntroductoryOfferPeriod
        }
        values.completeOffer()
        values.revocation = revocation(ordered)
        return AppStoreTransaction(values)
    }

    private static func newest<Value>(
        in ordered: [TransactionEvidence], _ value: (TransactionEvidence) -> Value?
    ) -> Value? { ordered.lazy.reversed().compactMap(value).first }

    /// Returns the date with the milliseconds, which tokens contain and receipts don't.
    private static func precise(_ date: Date?, among dates: [Date?]) -> Date? {
        guard let date else { return nil }
        return dates.lazy.compactMap { $0 }.filter { $0.wholeSeconds == date.wholeSeconds }.max() ?? date
    }

    /// Returns the newest token's expiration date. A receipt that isn't older may extend it but not shorten it, because
    /// receipts lag.
    private static func expirationDate(_ ordered: [TransactionEvidence]) -> Date? {
        let receipt = ordered.last { $0.source == .receipt && $0.transaction.expirationDate != nil }
        let token = ordered.last { $0.source == .token && $0.transaction.expirationDate != nil }
        guard let claimed = token?.transaction.expirationDate else { return receipt?.transaction.expirationDate }
        guard let receipt, let token, receipt.signedDate >= token.signedDate,
            let extended = receipt.transaction.expirationDate
        else { return claimed }
        return max(claimed, extended)
    }

    /// Returns the revocation that is in effect.
    ///
    /// A token's revocation is cleared only by a later token of the same transaction. A receipt's revocation is also
    /// cleared by a newer receipt that contains the transaction. A token of an upgraded transaction doesn't clear a
    /// receipt's cancellation date: for upgrades, receipts have a cancellation date and tokens don't.
    private static func revocation(_ ordered: [TransactionEvidence]) -> AppStoreTransaction.Revocation? {
        let token = ordered.last { $0.source == .token }
        let receipt = ordered.last { $0.source == .receipt }
        if var revocation = token?.transaction.revocation {
            for older in ordered.reversed() where older.source == .token {
                guard let other = older.transaction.revocation, other.date == revocation.date else { continue }
                revocation.type = revocation.type ?? other.type
                revocation.reason = revocation.reason ?? other.reason
                revocation.percentage = revocation.percentage ?? other.percentage
            }
            return revocation
        }
        guard let receipt, let revocation = receipt.transaction.revocation else { return nil }
        // Only the newest token is used, so that a history that keeps no older ones has the same result.
        if let token, token.signedDate > receipt.signedDate, token.transaction.isUpgraded != true { return nil }
        return revocation
    }
}

extension TransactionEvidence {
    /// The date of the source if it is a token that contains an upgrade.
    fileprivate var upgradeSignedDate: Date? { source == .token && transaction.isUpgraded == true ? signedDate : nil }
}

extension AppStoreTransaction.Values {
    /// Takes the missing values from older evidence. The revocation has rules of its own.
    fileprivate mutating func complete(by older: Self) {
        complete(\.productIdentifier, by: older)
        complete(\.transactionIdentifier, by: older)
        complete(\.originalTransactionIdentifier, by: older)
        complete(\.purchaseDate, by: older)
        complete(\.originalPurchaseDate, by: older)
        complete(\.productType, by: older)
        complete(\.quantity, by: older)
        complete(\.isTrialPeriod, by: older)
        complete(\.isInIntroductoryOfferPeriod, by: older)
        complete(\.promotionalOfferIdentifier, by: older)
        complete(\.webOrderLineItemIdentifier, by: older)
        complete(\.ownership, by: older)
        complete(\.subscriptionGroupIdentifier, by: older)
        complete(\.appAccountToken, by: older)
        complete(\.offerCodeReferenceName, by: older)
        complete(\.isRenewal, by: older)
        complete(\.revokedSeatQuantity, by: older)
        complete(\.commitment, by: older)
        complete(\.items, by: older)
        complete(\.previousOriginalTransactionIdentifier, by: older)
        buysSeats = buysSeats || older.buysSeats
    }

    /// Sets the flags of an introductory offer that no evidence states.
    fileprivate mutating func completeOffer() {
        guard hasNoOffer else { return }
        isTrialPeriod = isTrialPeriod ?? false
        if isSubscriptionPeriod { isInIntroductoryOfferPeriod = isInIntroductoryOfferPeriod ?? false }
    }

    private mutating func complete<Value>(
        _ value: WritableKeyPath<Self, Value?>, by older: Self
    ) {
        if self[keyPath: value] == nil { self[keyPath: value] = older[keyPath: value] }
    }
}
