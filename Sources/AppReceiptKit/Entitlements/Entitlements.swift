public import AppReceiptFoundation
public import AppReceiptParsing
import AppReceiptSupport

/// A customer's entitlements at a date, for the products of one app in one environment.
///
/// ```swift
/// let entitlements = receipt.entitlements()
/// if entitlements.isActive("com.example.pro") { … }
/// ```
///
/// Create it from a verified receipt, or with `AppStoreSignedData` from receipts, signed transactions and renewal
/// information together. The order of the evidence has no effect: newer evidence wins, and a refund stays a refund
/// until newer evidence of the same transaction reverses it. Evidence of another app or environment has no effect.
///
/// All evidence must be of one customer, which verification can't prove.
public struct Entitlements: Sendable, Hashable {
    /// The environment of the evidence. Nil for a receipt whose environment isn't known, which has no entitlements.
    public let environment: AppStoreEnvironment?

    /// The date at which the entitlements apply.
    public let date: Date

    /// Every entitlement, by product identifier; those of one product by date.
    public let all: [Entitlement]

    /// The transactions in the evidence, each once, oldest first.
    ///
    /// They include refunded, ended and consumed ones, so they don't show whether the customer may use a product:
    /// ``isActive(_:)`` does.
    public let transactions: [AppStoreTransaction]

    /// Derives entitlements from receipts.
    ///
    /// - Parameters:
    ///   - bundleIdentifier: The app. Receipts of other apps have no effect.
    ///   - environment: The environment. Receipts of other environments have no effect.
    ///   - receipts: Receipts of one customer, in any order.
    ///   - date: The date at which the entitlements apply. All evidence is used, regardless of when it was signed.
    ///     Default: the current time, but not before the newest evidence was signed, because an earlier clock is wrong.
    public init(
        bundleIdentifier: String, environment: AppStoreEnvironment, receipts: [VerifiedReceipt],
        at date: Date? = nil
    ) {
        let receipts = receipts.filter {
            $0.environment == environment
                && $0.bundleIdentifier?.utf8.elementsEqual(bundleIdentifier.utf8) == true
        }
        self.init(PurchaseLedger(environment: environment, receipts: receipts.map(\.evidence)), at: date)
    }

    /// Derives entitlements from a ledger of verified evidence.
    ///
    /// - Parameters:
    ///   - ledger: The evidence.
    ///   - date: The date. Default: the later of the current time and the newest date that Apple signed.
    ///   - now: The current time.
    package init(_ ledger: PurchaseLedger, at date: Date? = nil, now: Date = Date()) {
        let date = date ?? ledger.date(now: now)
        environment = ledger.environment
        self.date = date
        transactions = ledger.transactions
        guard let environment else {
            all = []
            return
        }
        let context = EvaluationContext(ledger, environment: environment, at: date)
        var candidates = Candidates()
        // The newest first: they usually rank highest, and others needn't be replaced (budget: entitlements of 20,000
        // purchases).
        for original in ledger.originals.reversed() {
            context.forEachEntitlement(to: original, in: ledger) { candidates.add($0) }
        }
        all = candidates.entitlements.sorted { $0.precedes($1) }
    }

    /// The entitlements without those that another original transaction of the same product makes irrelevant.
    private struct Candidates {
        private(set) var entitlements: [Entitlement] = []
        private var indices: [ExactString: Int] = [:]

        mutating func add(_ entitlement: Entitlement) {
            guard entitlement.kind.hasOneEntitlement else { return entitlements.append(entitlement) }
            let index = indices[ExactString(entitlement.productIdentifier), default: entitlements.count]
            if index == entitlements.count {
                indices[ExactString(entitlement.productIdentifier)] = index
                entitlements.append(entitlement)
            } else if entitlements[index].isLess(than: entitlement) {
                entitlements[index] = entitlement
            }
        }
    }
}

extension Entitlements {
    /// The active entitlements.
    public var active: [Entitlement] { all.filter(\.isActive) }

    /// Returns whether the customer may use a product at ``date``.
    ///
    /// - Parameter productIdentifier: The product.
    /// - Returns: Whether the entitlement to it is active.
    public func isActive(_ productIdentifier: String) -> Bool { self[productIdentifier]?.isActive ?? false }

    /// The entitlement to a product, nil if the customer never had it.
    ///
    /// An entitlement may have ended or been refunded: ``Entitlement/isActive`` is the answer, not that there is one.
    /// Consumables and non-renewing subscriptions may have several; this is the newest.
    public subscript(_ productIdentifier: String) -> Entitlement? {
        let product = ExactString(productIdentifier)
        return all.last { ExactString($0.productIdentifier) == product }
    }

    /// Returns the active entitlement to one of several products, such as those of a subscription group.
    ///
    /// Receipts don't contain the groups.
    ///
    /// - Parameter productIdentifiers: The products.
    /// - Returns: The active entitlement that lasts longest, nil if none is active.
    public func current(ofAny productIdentifiers: Set<String>) -> Entitlement? {
        let products = Set(productIdentifiers.map { ExactString($0) })
        return active.filter { products.contains(ExactString($0.productIdentifier)) }.max {
            ($0.until ?? .distantFuture, $0.productIdentifier) < ($1.until ?? .distantFuture, $1.productIdentifier)
        }
    }
}

extension Entitlement {
    /// Returns whether this entitlement is listed before another one.
    fileprivate func precedes(_ other: Entitlement) -> Bool {
        if productIdentifier != other.productIdentifier { return productIdentifier < other.productIdentifier }
        if since != other.since { return (since ?? .distantPast) < (other.since ?? .distantPast) }
        let (own, others) = (transactionIdentifier ?? "", other.transactionIdentifier ?? "")
        // The entitlement to a product precedes those to single transactions.
        return own == others ? kind.hasOneEntitlement && !other.kind.hasOneEntitlement : own < others
    }
}

extension VerifiedReceipt {
    /// Derives the customer's entitlements from this receipt alone.
    ///
    /// A receipt doesn't contain renewals and refunds after its ``creationDate``.
    ///
    /// - Parameter date: The date at which the entitlements apply. Default: the current time, but not before the
    ///   receipt's creation date, because an earlier clock is wrong.
    /// - Returns: The entitlements.
    public func entitlements(at date: Date? = nil) -> Entitlements {
        Entitlements(PurchaseLedger(environment: environment, receipts: [evidence]), at: date)
    }

    /// The purchases in the receipt, as evidence.
    package var evidence: PurchaseLedger.ReceiptEvidence {
        PurchaseLedger.ReceiptEvidence(
            creationDate: creationDate, transactions: purchases.map { AppStoreTransaction($0) })
    }
}
