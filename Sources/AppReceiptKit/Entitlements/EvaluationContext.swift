package import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

/// The common basis of all entitlements of a ledger: the date, the environment, and evidence beyond a single purchase.
struct EvaluationContext {
    let date: Date
    let environment: AppStoreEnvironment
    let dates: EvidenceDates
    /// The original transactions that a live purchase replaced when the customer changed to or from a bundle, with its
    /// product (rule 10 of WhatACustomerOwns).
    private let bundled: [String: ExactString]

    init(_ ledger: PurchaseLedger, environment: AppStoreEnvironment, at date: Date) {
        self.date = date
        self.environment = environment
        dates = EvidenceDates(ledger)
        var bundled: [String: ExactString] = [:]
        for transaction in ledger.transactions {
            guard let previous = transaction.previousOriginalTransactionIdentifier,
                let product = transaction.productIdentifier, transaction.isLive(at: date)
            else { continue }
            bundled[previous] = ExactString(product)
        }
        self.bundled = bundled
    }

    /// Calls `body` with each entitlement to an original transaction.
    func forEachEntitlement(
        to original: PurchaseLedger.Original, in ledger: PurchaseLedger, _ body: (Entitlement) -> Void
    ) {
        if let subscription = ledger.subscription(of: original) {
            SubscriptionEntitlements(to: subscription, in: self).forEach(body)
        }
        for purchase in OneTimePurchase.all(of: original, in: ledger) { body(purchase.entitlement(self)) }
    }

    /// Returns the kind of a revocation (rule 10 of WhatACustomerOwns).
    ///
    /// Apple's type decides. Without one, the reason decides, and an unknown type or reason isn't called a refund. A
    /// token that states neither is one of the time before Apple distinguished them, when only refunds and the end of
    /// Family Sharing existed.
    func kind(of revocation: AppStoreTransaction.Revocation, for transaction: AppStoreTransaction) -> RevocationKind {
        switch (revocation.type, transaction.ownership) {
        case ("FAMILY_REVOKE"?, _), (_, .familyShared?): return .familySharing
        case ("ASSIGNMENT_REVOKE"?, _), (_, .assigned?): return .assignment
        case ("REFUND_FULL"?, _), ("REFUND_PRORATED"?, _): return .refund(isPartial: revocation.isPartial)
        default: break
        }
        if revocation.type == nil, let reason = revocation.reason, 0...1 ~= reason {
            return .refund(isPartial: revocation.isPartial)
        }
        if let product = transaction.original.flatMap({ bundled[$0] }) { return .bundle(product.text) }
        if let type = revocation.type { return .unknown("type \(type)") }
        if let reason = revocation.reason { return .unknown("reason \(reason)") }
        return revocation.isFromReceiptAlone ? .refundOrRevocation : .refund(isPartial: revocation.isPartial)
    }
}

extension PurchaseLedger {
    /// Returns what ended each transaction that was revoked, in one sentence, by transaction. Upgrades aren't included.
    ///
    /// - Parameter date: The date at which the sentences apply.
    package func revocationSentences(at date: Date) -> [String: String] {
        guard let environment else { return [:] }
        let context = EvaluationContext(self, environment: environment, at: date)
        return revoked(among: transactions).reduce(into: [:]) { sentences, transaction in
            guard let identifier = transaction.transactionIdentifier, let revocation = transaction.revocation else {
                return
            }
            sentences[identifier] = context.kind(of: revocation, for: transaction).sentence()
        }
    }
}

extension AppStoreTransaction {
    /// Whether the transaction is neither revoked nor ended at a date.
    fileprivate func isLive(at date: Date) -> Bool {
        isUpgraded != true && revocation.map { $0.date > date } ?? true && expirationDate.map { $0 > date } ?? true
    }
}

extension AppStoreTransaction.Revocation {
    /// Whether only a part of the price was refunded.
    var isPartial: Bool { Self.percentage(percentage).map { $0 < 100_000 } ?? (type == "REFUND_PRORATED") }

    /// Returns a stated percentage in thousandths, nil for one that isn't between 0 and 100 percent.
    private static func percentage(_ stated: Int64?) -> Int64? { stated.flatMap { 0...100_000 ~= $0 ? $0 : nil } }

    /// The refunded part of the price in thousandths of a percent.
    var refundedShare: Int64? { Self.percentage(percentage) ?? (type == "REFUND_FULL" ? 100_000 : nil) }
}
