import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

/// A purchase other than an auto-renewable subscription: the transaction and its restored copies.
struct OneTimePurchase {
    let product: String
    let original: String?
    /// The transaction and its copies, oldest first; at least one. Consumables and non-renewing subscriptions have no
    /// copies.
    private let copies: [AppStoreTransaction]
    /// The copy that determines the state: the last of those with the earliest revocation, or the last one if none is
    /// revoked.
    private let transaction: AppStoreTransaction

    private init?(copies: [AppStoreTransaction], original: String?) {
        guard let last = copies.last, let product = last.productIdentifier else { return nil }
        self.copies = copies
        self.product = product
        self.original = original
        let revoked = copies.compactMap(\.revocation?.date).min()
        transaction = copies.last { $0.revocation?.date == revoked } ?? last
    }

    /// Returns the transactions of an original that aren't periods of a subscription.
    static func all(of original: PurchaseLedger.Original, in ledger: PurchaseLedger) -> [OneTimePurchase] {
        ledger.copies(among: original.positions) { !$0.isSubscriptionPeriod }.flatMap { copies in
            let hasOneEntitlement = copies.first?.kind.hasOneEntitlement == true
            return (hasOneEntitlement ? [copies] : copies.map { [$0] })
                .compactMap { OneTimePurchase(copies: $0, original: original.identifier) }
        }
    }

    /// Returns the entitlement at a date.
    func entitlement(_ context: EvaluationContext) -> Entitlement {
        let date = context.date
        let since = start
        let revocation = transaction.revocation.flatMap { $0.date <= date ? $0 : nil }
        let kind = revocation.map { context.kind(of: $0, for: transaction) }
        let remaining =
            revocation.map { kind?.state == .refunded ? transaction.remainingQuantity(after: $0) : 0 }
            ?? transaction.quantity ?? 1
        let state: Entitlement.State =
            if let kind, remaining == 0 {
                kind.state
            } else if let since, since > date {
                .notStarted
            } else {
                .owned
            }
        let isRevoked = state == .refunded || state == .revoked || state == .upgraded
        return Entitlement(
            productIdentifier: product, environment: context.environment, kind: transaction.kind,
            isActive: state == .owned && transaction.isKept, state: state, since: since,
            until: isRevoked ? revocation?.date : nil, asOf: context.dates.asOf(original),
            originalTransactionIdentifier: transaction.reportedOriginal(in: context.environment),
            transactionIdentifier: transaction.transactionIdentifier, willRenew: nil, renewsAs: nil,
            quantity: isRevoked ? transaction.quantity ?? 1 : remaining,
            refundedPercentage: Entitlement.refundedPercentage(revocation), ownership: transaction.ownership,
            commitment: transaction.commitment, items: Entitlement.items(of: transaction, at: date),
            basis: Entitlement.Basis(
                start: since, revocation: kind, revocationDate: transaction.revocation?.date,
                refundedQuantity: revocation.map { _ in (transaction.quantity ?? 1) - remaining }))
    }

    /// The date of the purchase; for a restored non-consumable, of the original purchase.
    private var start: Date? {
        let dates = copies.compactMap(\.purchaseDate)
        return (transaction.kind.hasOneEntitlement ? dates + copies.compactMap(\.originalPurchaseDate) : dates).min()
    }
}

extension AppStoreTransaction {
    /// Whether the customer keeps the product while it isn't revoked.
    ///
    /// False for consumables and non-renewing subscriptions, because the app decides, and for a stated but unknown type
    /// (rule 12 of WhatACustomerOwns).
    fileprivate var isKept: Bool {
        switch kind {
        case .nonConsumable, .freeSubscription: true
        case .unknown: productType == nil
        case .consumable, .nonRenewing, .subscription: false
        }
    }

    /// Returns the quantity that is left after a refund of a part of it (rule 11 of WhatACustomerOwns).
    fileprivate func remainingQuantity(after revocation: Revocation) -> Int {
        let quantity = quantity ?? 1
        guard let percentage = revocation.refundedShare, percentage < 100_000, quantity > 1 else { return 0 }
        return quantity - Int((Double(quantity) * Double(percentage) / 100_000).rounded())
    }
}
