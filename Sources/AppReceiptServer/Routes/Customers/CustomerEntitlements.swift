#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData

/// The entitlements of purchases of any apps and environments, from everything the server knows.
@available(AppReceiptServer 1.0, *)
struct CustomerEntitlements: Sendable {
    /// The purchases, in order.
    let purchases: [ScopedOriginal]
    /// The evidence, by app and environment, in their order.
    let ledgers: [(scope: AppScope, ledger: PurchaseLedger, evidence: CustomerEvidence)]
    /// The entitlements, by app and environment, in their order.
    let entitlements: [(scope: AppScope, entitlements: Entitlements)]
    private let now: Date

    /// The date at which the entitlements apply: the current time, or the newest date that Apple signed if it is later.
    var date: Date { entitlements.map(\.entitlements.date).max() ?? now }

    /// Reads the evidence of purchases, and completes it from the App Store.
    ///
    /// - Parameters:
    ///   - purchases: The purchases of one customer.
    ///   - submitted: Evidence of the same customer that the request contains. Its purchases are included.
    ///   - history: The history for the request.
    ///   - now: The current time.
    init(
        of purchases: [ScopedOriginal], beside submitted: [AppScope: CustomerEvidence] = [:],
        in history: RequestHistory, now: Date
    ) async throws(StoreError) {
        self.now = now
        var originals = Dictionary(grouping: purchases, by: \.scope).mapValues {
            Set($0.map(\.originalTransactionIdentifier))
        }
        for (scope, evidence) in submitted { originals[scope, default: []].formUnion(evidence.originals) }
        self.purchases = originals.flatMap { scope, originals in
            originals.map { ScopedOriginal(scope: scope, originalTransactionIdentifier: $0) }
        }.sorted()
        var ledgers: [(AppScope, PurchaseLedger, CustomerEvidence)] = []
        for (scope, originals) in originals.sorted(by: { $0.key < $1.key }) {
            let own = submitted[scope] ?? CustomerEvidence()
            var evidence = try await history.evidence(
                of: originals, app: scope.app, environment: scope.environment, signedDate: own.newestSignedDate)
            var others = own
            others.receipts = []
            evidence.add(others)
            // The receipts in the request may list purchases without an original transaction.
            let ledger = PurchaseLedger(
                evidence, app: scope.app, environment: scope.environment, ownEvidence: own.receipts.map(\.evidence),
                originals: originals)
            evidence.receipts += own.receipts
            ledgers.append((scope, ledger, evidence))
        }
        self.ledgers = ledgers
        entitlements = ledgers.map { ($0.0, Entitlements($0.1, now: now)) }
    }

    /// The entitlements of several customers, each derived from its own evidence.
    init(merging customers: [CustomerEntitlements], now: Date) {
        purchases = customers.flatMap(\.purchases).sorted()
        ledgers = customers.flatMap(\.ledgers)
        entitlements = customers.flatMap(\.entitlements)
        self.now = now
    }

    /// Writes `products`: the entitlements, in the order of apps, environments and products.
    ///
    /// - Parameters:
    ///   - products: The products that are included; empty for all.
    ///   - namesApp: Whether each entitlement has its app, because there may be several.
    ///   - writer: The writer.
    func writeProducts(only products: [String] = [], namesApp: Bool, to writer: inout JSONWriter) {
        let included = Set(products.map { ExactString($0) })
        writer.openArray("products")
        for (scope, entitlements) in entitlements {
            for entitlement in entitlements.all
            where included.isEmpty || included.contains(ExactString(entitlement.productIdentifier)) {
                writer.element { writer in
                    if namesApp { writer.member("bundleIdentifier", scope.app) }
                    entitlement.write(to: &writer)
                }
            }
        }
        writer.closeArray()
    }
}

@available(AppReceiptServer 1.0, *)
extension CustomerEntitlements {
    /// Writes `purchases`: the identifiers of the purchases.
    func writePurchases(to writer: inout JSONWriter) {
        writer.openArray("purchases")
        for purchase in purchases { writer.element(purchase.originalTransactionIdentifier) }
        writer.closeArray()
    }

    /// Writes ``transactions``.
    func writeTransactions(to writer: inout JSONWriter) {
        writer.openArray("transactions")
        for claims in transactions { writer.element(.object(claims)) }
        writer.closeArray()
    }

    /// The transactions as claims in Apple's names, newest first: those that Apple signed as they are, and those that
    /// only receipts list with what the receipts state.
    var transactions: [AppStoreJSON.Object] {
        ledgers.flatMap { ledger -> [AppStoreJSON.Object] in
            let tokens = ledger.evidence.newestTransactions
            return ledger.ledger.transactions.reversed().map { transaction in
                transaction.transactionIdentifier.flatMap { tokens[$0]?.claims.members } ?? transaction.claims
            }
        }
    }
}

extension CustomerEvidence {
    /// The newest token of each transaction.
    var newestTransactions: [String: VerifiedTransaction] {
        transactions.reduce(into: [:]) { tokens, token in
            guard let identifier = token.claims.transactionIdentifier else { return }
            if tokens[identifier].map({ token.isNewer(than: $0) }) ?? true { tokens[identifier] = token }
        }
    }
}

extension AppStoreTransaction {
    /// The known members, in the names of signed transactions.
    fileprivate var claims: AppStoreJSON.Object {
        var claims: AppStoreJSON.Object = [:]
        func set(_ name: String, _ text: String?) { if let text { claims[name] = .string(text) } }
        func set(_ name: String, _ number: Int64?) {
            if let number { claims[name] = .number(AppStoreJSON.Number(number)) }
        }
        set("transactionId", transactionIdentifier)
        set("originalTransactionId", originalTransactionIdentifier)
        set("webOrderLineItemId", webOrderLineItemIdentifier.map { String($0) })
        set("productId", productIdentifier)
        set("purchaseDate", purchaseDate?.milliseconds)
        set("originalPurchaseDate", originalPurchaseDate?.milliseconds)
        set("expiresDate", expirationDate?.milliseconds)
        set("quantity", quantity.map { Int64($0) })
        set("revocationDate", cancellationDate?.milliseconds)
        return claims
    }
}
#endif
