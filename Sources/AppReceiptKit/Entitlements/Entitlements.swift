public import AppReceiptParsing

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What a customer owns at a date: one entitlement for each product of an app, in one environment.
///
/// ```swift
/// let entitlements = receipt.entitlements()
/// if entitlements.isActive("com.example.pro") { … }
/// ```
///
/// Create it from a verified receipt, or with `AppStoreSignedData` from receipts, signed transactions and renewal information
/// together. The order of the evidence has no effect: newer evidence wins, and a refund stays a refund until newer evidence of
/// the same transaction reverses it. Evidence of another app or environment has no effect.
///
/// All evidence must be of one customer, which verification can't prove.
public struct Entitlements: Sendable, Hashable {
    /// The environment of the evidence. Nil for a receipt whose environment isn't known, which gives no entitlements.
    public let environment: ReceiptEnvironment.Base?

    /// The date for which the entitlements hold.
    public let date: Date

    /// Every entitlement, by product identifier; those of one product by date.
    public let all: [Entitlement]

    /// Every transaction the evidence contains, once, oldest first.
    public let purchases: [Purchase]

    /// Derives entitlements from receipts.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app. Receipts of other apps have no effect.
    ///   - environment: The environment. Receipts of other environments have no effect.
    ///   - receipts: Receipts of one customer, in any order.
    ///   - date: The date for which the entitlements hold. All evidence counts, whenever it was signed.
    public init(
        bundleIdentifier: String, environment: ReceiptEnvironment.Base, receipts: [VerifiedReceipt],
        at date: Date = Date()
    ) {
        let receipts = receipts.filter {
            $0.environment == environment
                && $0.receipt.bundleIdentifier?.utf8.elementsEqual(bundleIdentifier.utf8) == true
        }
        self.init(PurchaseLedger(environment: environment, receipts: receipts.map(\.evidence)), environment, at: date)
    }

    /// Derives entitlements from a ledger of evidence that was verified.
    package init(_ ledger: PurchaseLedger, _ environment: ReceiptEnvironment.Base?, at date: Date) {
        self.environment = environment
        self.date = date
        purchases = ledger.purchases
        guard let environment else {
            all = []
            return
        }
        var best: [String: Entitlement.Ranked] = [:]
        var single: [Entitlement] = []
        let subscribed = ledger.subscriptions.flatMap { $0.entitlements(at: date, in: ledger, environment) }
        let bought = OneTimePurchase.all(in: ledger).compactMap { $0.entitlement(at: date, in: ledger, environment) }
        for ranked in subscribed + bought {
            let entitlement = ranked.entitlement
            guard entitlement.kind.hasOneEntitlement else {
                single.append(entitlement)
                continue
            }
            if let known = best[entitlement.productIdentifier], !known.isLess(than: ranked) { continue }
            best[entitlement.productIdentifier] = ranked
        }
        all = (best.values.map(\.entitlement) + single).sorted { left, right in
            if left.productIdentifier != right.productIdentifier {
                return left.productIdentifier < right.productIdentifier
            }
            if left.since != right.since { return (left.since ?? .distantPast) < (right.since ?? .distantPast) }
            return (left.transactionIdentifier ?? "") < (right.transactionIdentifier ?? "")
        }
    }
}

extension Entitlements {
    /// The active entitlements.
    public var active: [Entitlement] { all.filter(\.isActive) }

    /// Whether the customer may use a product at ``date``.
    public func isActive(_ productIdentifier: String) -> Bool { self[productIdentifier]?.isActive ?? false }

    /// The entitlement to a product, nil if the customer never had it. For consumables and non-renewing subscriptions, of which there are several, the
    /// newest.
    ///
    /// It says until when the product is active, grace period included (``Entitlement/until``), in which state it is
    /// (``Entitlement/state``) and whether it will renew (``Entitlement/willRenew``).
    public subscript(_ productIdentifier: String) -> Entitlement? {
        all.last { $0.productIdentifier == productIdentifier }
    }

    /// The entitlement to the product that a customer currently has of several, such as those of a subscription group: the active one that
    /// lasts longest. Nil if none is active.
    ///
    /// Receipts don't say which products form a group.
    public func current(ofAny productIdentifiers: Set<String>) -> Entitlement? {
        active.filter { productIdentifiers.contains($0.productIdentifier) }.max {
            ($0.until ?? .distantFuture, $0.productIdentifier) < ($1.until ?? .distantFuture, $1.productIdentifier)
        }
    }
}

extension VerifiedReceipt {
    /// What the customer owns, from this receipt alone.
    ///
    /// It can't contain renewals and refunds after ``creationDate``.
    ///
    /// - Parameter date: The date for which the entitlements hold. Default: now, but not before the receipt's creation date, because a
    ///   clock that is set to an earlier time is wrong.
    public func entitlements(at date: Date? = nil) -> Entitlements {
        Entitlements(
            PurchaseLedger(environment: environment, receipts: [evidence]), environment,
            at: date ?? max(Date(), creationDate))
    }

    /// What the receipt states about the purchases in it.
    package var evidence: PurchaseLedger.ReceiptEvidence {
        PurchaseLedger.ReceiptEvidence(
            creationDate: creationDate, purchases: receipt.purchases.map { Purchase($0) })
    }
}
