#if Server
import AppReceiptFoundation
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData

/// What the page shows about a customer: the entitlements from everything that the server knows and the input proves,
/// which evidence decided, what happened, and what there is.
@available(AppReceiptServer 1.0, *)
struct CustomerDocument: Sendable {
    private let customer: CustomerEntitlements
    /// What the input contains.
    private let submitted: SubmittedEvidence
    /// The accounts that own the purchases.
    private let accounts: [String]
    /// When the evidence of each purchase was signed and received.
    private let sightings: [(purchase: ScopedOriginal, sightings: [EvidenceSighting])]
    /// Whether evidence from the App Store is still missing.
    private let isPartial: Bool
    /// The configured apps, which name their products.
    private let apps: [AppConfiguration]
    private let now: Date

    /// The number of purchases of which the evidence is listed. A customer has fewer.
    private static let maxListedPurchases = 200

    /// Reads what the server knows, and completes it from the App Store.
    ///
    /// - Parameters:
    ///   - purchases: The purchases of the customer.
    ///   - submitted: What the input contains.
    ///   - service: What reads.
    ///   - context: The context of the request.
    ///   - now: The current time.
    init(
        of purchases: [ScopedOriginal], beside submitted: SubmittedEvidence, by service: ReceiptService,
        in context: ServerContext, now: Date
    ) async throws {
        let history = service.history(for: context)
        customer = try await CustomerEntitlements(
            of: purchases, beside: submitted.evidence.mapValues(\.withNestedData), in: history, now: now)
        var accounts: Set<String> = []
        var sightings: [(ScopedOriginal, [EvidenceSighting])] = []
        for purchase in customer.purchases.prefix(Self.maxListedPurchases) {
            if let account = try await service.store.account(of: purchase) { accounts.insert(account) }
            sightings.append((purchase, try await service.store.sightings(of: purchase)))
        }
        self.submitted = submitted
        self.accounts = accounts.sorted()
        self.sightings = sightings
        isPartial = history.isMissingEvidence
        apps = service.configuration.apps
        self.now = now
    }

    /// The entitlements in an app and environment; nil if there is no evidence of it.
    func entitlements(in scope: AppScope?) -> Entitlements? {
        customer.entitlements.first { $0.scope == scope }?.entitlements
    }

    /// Adds `products`, `subscriptions` and `customer`.
    func write(to document: inout JSONDocument) {
        let entitlements = customer.ledgers.indices.flatMap { index in
            customer.entitlements[index].entitlements.all.map { (index, $0) }
        }
        document.add("products", each: entitlements) { write($0.1, ofLedger: $0.0, to: &$1) }
        document.add(
            "subscriptions",
            .array(customer.ledgers.flatMap { Inspection.json($0.ledger.subscriptions, now: now) }))
        document.add(
            "customer",
            [
                "accounts": .array(accounts.map { .string($0) }), "at": .date(customer.date),
                "isPartial": .boolean(isPartial),
                "stored": .number(AppStoreJSON.Number(sightings.reduce(0) { $0 + $1.sightings.count })),
                "purchases": .array(customer.purchases.map(Self.json)),
            ])
        let evidence = evidence
        let notifications = evidence.compactMap { listed in
            listed.notificationType.map { (type: $0, signedDate: listed.signedDate) }
        }
        document.add("history", each: CustomerHistory(customer, notifications: notifications).entries) {
            $0.write(to: &$1)
        }
        document.add("evidence", each: evidence) { $0.write(to: &$1) }
        document.add("rejected", each: submitted.rejections) { $0.write(to: &$1) }
    }

    private static func json(_ purchase: ScopedOriginal) -> AppStoreJSON {
        [
            "originalTransactionIdentifier": .string(purchase.originalTransactionIdentifier),
            "bundleIdentifier": .string(purchase.scope.app),
            "environment": .string(purchase.scope.environment.rawValue),
        ]
    }

    private func write(_ entitlement: Entitlement, ofLedger index: Int, to writer: inout JSONWriter) {
        let (scope, ledger, _) = customer.ledgers[index]
        let names = apps.app(named: scope.app)?.productNames ?? [:]
        writer.member("bundleIdentifier", scope.app)
        writer.member("name", names[entitlement.productIdentifier])
        entitlement.write(to: &writer)
        entitlement.writeSentences(productNames: names, to: &writer)
        guard let decisive = ledger.decisiveEvidence(for: entitlement) else {
            return writer.member("decidedBy", .null)
        }
        writer.openObject("decidedBy")
        writer.member("kind", decisive.kind.rawValue)
        writer.member("signedDate", decisive.signedDate)
        writer.member(
            "isInput",
            submitted.evidence(in: scope).listed.contains {
                $0.kind == decisive.kind.rawValue && $0.signedDate == decisive.signedDate
            })
        writer.closeObject()
    }

    /// Everything that Apple signed about the purchases, newest first: what is stored, and what only the input
    /// contains.
    private var evidence: [ListedEvidence] {
        var listed: [ListedEvidence] = []
        var known: Set<ListedEvidence.Identity> = []
        for (purchase, sightings) in sightings {
            for sighting in sightings {
                let signed = Date(timeIntervalSince1970: Double(sighting.signed) / 1000)
                known.insert(ListedEvidence.Identity(kind: sighting.kind.rawValue, signedDate: signed))
                listed.append(
                    ListedEvidence(
                        kind: sighting.kind.rawValue, signedDate: signed,
                        receivedDate: Date(timeIntervalSince1970: Double(sighting.received) / 1000),
                        notificationType: sighting.notificationType,
                        original: purchase.originalTransactionIdentifier))
            }
        }
        let own = submitted.evidence.values.flatMap(\.listed).filter { !known.contains($0.identity) }
        return (listed + own).sorted { $0.signedDate > $1.signedDate }
    }
}

/// A receipt or token in the list of evidence.
private struct ListedEvidence {
    /// What tells whether two are the same.
    struct Identity: Hashable {
        let kind: String
        let signedDate: Date
    }

    let kind: String
    let signedDate: Date
    /// When the server received it; nil if only the input contains it.
    var receivedDate: Date?
    var notificationType: String?
    var original: String?

    var identity: Identity { Identity(kind: kind, signedDate: signedDate) }

    func write(to writer: inout JSONWriter) {
        writer.member("kind", kind)
        writer.member("signedDate", signedDate)
        writer.member("receivedDate", receivedDate)
        writer.member("notificationType", notificationType)
        writer.member("originalTransactionIdentifier", original)
    }
}

extension CustomerEvidence {
    /// The evidence, as it is listed.
    fileprivate var listed: [ListedEvidence] {
        receipts.map { ListedEvidence(kind: "receipt", signedDate: $0.creationDate) }
            + transactionReceipts.compactMap { receipt in
                let purchase = receipt.evidence
                return ListedEvidence(
                    kind: "transactionReceipt", signedDate: purchase.signedDate, original: purchase.transaction.original
                )
            }
            + transactions.map {
                ListedEvidence(kind: "transaction", signedDate: $0.signedDate, original: $0.original)
            }
            + renewals.map {
                ListedEvidence(kind: "renewalInfo", signedDate: $0.signedDate, original: $0.original)
            }
            + notifications.map {
                ListedEvidence(
                    kind: "notification", signedDate: $0.signedDate,
                    notificationType: $0.claims.notificationType?.rawValue, original: $0.original)
            }
    }
}
#endif
