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
    /// The purchases that are shown.
    var purchases: [ScopedOriginal] { customer.purchases }

    /// What the input contains.
    private let submitted: SubmittedEvidence
    /// The accounts that own the purchases.
    private let accounts: [String]
    /// The account of each purchase that has one.
    private let owners: [ScopedOriginal: String]
    /// The name of each account, unless only its hash is known.
    private let names: [String: String]
    /// The number of other purchases of each account that the client may see.
    private let otherPurchases: [String: Int]
    /// When the evidence of each purchase was signed and received.
    private let sightings: [ScopedOriginal: [EvidenceSighting]]
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
    ///   - known: The purchases of each customer; empty if only the input names some.
    ///   - named: The known accounts that the request names. They tell whose hash an account is.
    ///   - submitted: What the input contains.
    ///   - service: What reads.
    ///   - context: The context of the request.
    ///   - now: The current time.
    init(
        of known: [[ScopedOriginal]], named: [CustomerSearch.Found], beside submitted: SubmittedEvidence,
        by service: ReceiptService, in context: ServerContext, now: Date
    ) async throws {
        let history = service.history(for: context)
        var customers: [CustomerEntitlements] = []
        for purchases in known {
            customers.append(try await CustomerEntitlements(of: purchases, in: history, now: now))
        }
        let evidence = submitted.evidence.mapValues(\.withNestedData)
        for evidence in evidence.isEmpty ? [] : try await Self.customers(in: evidence, by: service.store) {
            customers.append(try await CustomerEntitlements(of: [], beside: evidence, in: history, now: now))
        }
        customer = CustomerEntitlements(merging: customers, now: now)
        let listed = Array(customer.purchases.prefix(Self.maxListedPurchases))
        owners = try await service.store.accounts(of: listed)
        sightings = try await service.store.sightings(of: listed)
        let owning = Set(owners.values)
        let names = try await Self.names(of: owning, owning: owners, of: customer, named: named, by: service.store)
        // The same order, whether hashes are stored or names.
        accounts = owning.sorted { (names[$0] ?? $0, $0) < (names[$1] ?? $1, $1) }
        self.names = names
        let shown = Set(customer.purchases)
        var otherPurchases: [String: Int] = [:]
        for account in accounts {
            let others = Set(try await service.store.purchases(ofStored: account)).subtracting(shown)
            otherPurchases[account] = others.count { context.access.allows($0.scope.app) }
        }
        self.otherPurchases = otherPurchases
        self.submitted = submitted
        isPartial = history.isMissingEvidence
        apps = service.configuration.apps
        self.now = now
    }

    /// Returns the names of accounts, unless only their hashes are known. A hash has the name that leads to its
    /// purchases: one that the request gives, or an `appAccountToken`.
    private static func names(
        of accounts: Set<String>, owning owners: [ScopedOriginal: String], of customer: CustomerEntitlements,
        named: [CustomerSearch.Found], by store: any EvidenceStore
    ) async throws -> [String: String] {
        var names: [String: String] = [:]
        for account in accounts where !Accounts.isHash(account) { names[account] = account }
        guard names.count < accounts.count else { return names }
        for found in named { names.add(found.text, ofAccountsOwning: found.purchases, among: owners) }
        let tokens = Set(customer.ledgers.flatMap { $0.ledger.transactions.compactMap(\.appAccountToken) })
        for token in tokens.map({ $0.uuidString.lowercased() }).sorted() {
            names.add(token, ofAccountsOwning: try await store.purchases(of: token), among: owners)
        }
        return names
    }

    /// Returns the evidence of each customer in an input, so that nobody's purchase hides another's.
    private static func customers(
        in evidence: [AppScope: CustomerEvidence], by store: any EvidenceStore
    ) async throws -> [[AppScope: CustomerEvidence]] {
        var customers = CustomerGroups(in: evidence)
        guard customers.groups.count > 1 else { return [evidence] }
        let purchases = customers.groups.joined().prefix(maxListedPurchases)
        customers.join(ownedBy: try await store.accounts(of: Array(purchases)))
        guard customers.groups.count > 1 else { return [evidence] }
        return customers.sorted.map { purchases in
            var own: [AppScope: CustomerEvidence] = [:]
            for (scope, purchases) in Dictionary(grouping: purchases, by: \.scope) {
                own[scope] = evidence[scope]?.only(
                    app: scope.app, environment: scope.environment,
                    originals: Set(purchases.map(\.originalTransactionIdentifier)))
            }
            return own
        }
    }

    /// Returns the entitlements in an app and environment; nil if there is no evidence of it.
    func entitlements(in scope: AppScope?) -> Entitlements? {
        customer.entitlements.first { $0.scope == scope }?.entitlements
    }

    /// The names of the accounts; nil for one of which only the hash is known.
    var accountNames: [String?] { accounts.map { names[$0] } }

    /// Adds `products`, `subscriptions` and `customer`.
    func write(to document: inout JSONDocument) {
        document.add("products", each: products) { $0.write(now: now, to: &$1) }
        document.add(
            "subscriptions",
            .array(customer.ledgers.flatMap { Inspection.json($0.ledger.subscriptions, now: now) }))
        document.add(
            "customer",
            [
                "accounts": .array(accounts.map { .string($0) }),
                "names": byAccount { names[$0].map { .string($0) } },
                "at": .date(customer.date),
                "isPartial": .boolean(isPartial),
                "otherPurchases": byAccount { .number(AppStoreJSON.Number(otherPurchases[$0] ?? 0)) },
                "stored": .number(AppStoreJSON.Number(sightings.values.reduce(0) { $0 + $1.count })),
                "purchases": .array(customer.purchases.map(Self.json)),
            ])
        let evidence = evidence
        let notifications = evidence.filter { $0.identity.kind == .notification }
        document.add("history", each: CustomerHistory(customer, notifications: notifications).entries) {
            $0.write(to: &$1)
        }
        document.add("evidence", each: evidence) { $0.write(to: &$1) }
        document.add("rejected", each: submitted.rejections) { rejection, writer in
            rejection.write(to: &writer)
            writer.member("check", rejection.check?.rawValue)
        }
    }

    /// Returns an object with a member for each account that has a value.
    private func byAccount(_ value: (String) -> AppStoreJSON?) -> AppStoreJSON {
        .object(
            AppStoreJSON.Object(
                distinct: accounts.compactMap { account in value(account).map { .init(name: account, value: $0) } }))
    }

    private static func json(_ purchase: ScopedOriginal) -> AppStoreJSON {
        [
            "originalTransactionIdentifier": .string(purchase.originalTransactionIdentifier),
            "bundleIdentifier": .string(purchase.scope.app),
            "environment": .string(purchase.scope.environment.rawValue),
        ]
    }

    /// The products of all customers, in the order of apps, environments and products.
    private var products: [CustomerProduct] {
        zip(customer.ledgers, customer.entitlements).flatMap { ledger, derived -> [CustomerProduct] in
            let scope = ledger.scope
            let inputs = Set(submitted.evidence(in: scope).listed(in: scope).map(\.identity))
            let names = apps.app(named: scope.app)?.productNames ?? [:]
            let entitlements = derived.entitlements.all
            return zip(entitlements, ledger.ledger.decisiveEvidence(for: entitlements)).map { entitlement, decisive in
                let identity = decisive.map {
                    ListedEvidence.Identity(
                        kind: $0.kind, signedDate: $0.signedDate, scope: scope,
                        original: entitlement.originalTransactionIdentifier)
                }
                let account = entitlement.originalTransactionIdentifier.flatMap {
                    owners[ScopedOriginal(scope: scope, originalTransactionIdentifier: $0)]
                }
                return CustomerProduct(
                    scope: scope, account: account, names: names, entitlement: entitlement, decisive: identity,
                    isInput: identity.map(inputs.contains) ?? false)
            }
        }.enumerated().sorted {
            $0.element.scope == $1.element.scope
                ? ($0.element.entitlement.productIdentifier, $0.offset)
                    < ($1.element.entitlement.productIdentifier, $1.offset)
                : $0.element.scope < $1.element.scope
        }.map(\.element)
    }

    /// Everything that Apple signed about the purchases, newest first: what is stored, and what only the input
    /// contains.
    private var evidence: [ListedEvidence] {
        var listed: [ListedEvidence.Identity: ListedEvidence] = [:]
        for evidence in submitted.evidence.flatMap({ $1.listed(in: $0) }) { listed[evidence.identity] = evidence }
        for (purchase, sightings) in sightings {
            for sighting in sightings {
                let evidence = ListedEvidence(sighting, of: purchase)
                listed[evidence.identity] = evidence
            }
        }
        return listed.values.sorted { $0.identity > $1.identity }
    }
}

extension [String: String] {
    /// Adds the name that leads to purchases for the accounts of these purchases.
    fileprivate mutating func add(
        _ name: String, ofAccountsOwning purchases: [ScopedOriginal], among owners: [ScopedOriginal: String]
    ) {
        for account in Set(purchases.compactMap { owners[$0] }) where self[account] == nil { self[account] = name }
    }
}

/// A product of a customer, as the page shows it.
private struct CustomerProduct {
    let scope: AppScope
    /// The account that owns it; nil for none.
    let account: String?
    /// The configured names of the app's products.
    let names: [String: String]
    let entitlement: Entitlement
    /// The evidence that decided the state; nil if the ledger doesn't contain it.
    let decisive: ListedEvidence.Identity?
    /// Whether the input contains that evidence.
    let isInput: Bool

    func write(now: Date, to writer: inout JSONWriter) {
        writer.member("bundleIdentifier", scope.app)
        writer.member("account", account)
        writer.member("name", names[entitlement.productIdentifier])
        writer.member("renewsAsName", entitlement.renewsAs.flatMap { names[$0] })
        entitlement.write(to: &writer)
        entitlement.writeSentences(productNames: names, now: now, to: &writer)
        guard let decisive else { return writer.member("decidedBy", .null) }
        writer.openObject("decidedBy")
        writer.member("kind", decisive.kind.rawValue)
        writer.member("signedDate", decisive.signedDate)
        writer.member("isInput", isInput)
        writer.closeObject()
    }
}

@available(AppReceiptServer 1.0, *)
extension InspectorResponse {
    /// Returns the document, with what the server knows about the customer in place of what the input says about
    /// products.
    func bytes(with customer: CustomerDocument) -> [UInt8] {
        var document = document
        let scope = proof.flatMap { AppScope(app: $0.app, $0.environment) }
        addReport(to: &document, entitlements: customer.entitlements(in: scope))
        customer.write(to: &document)
        return document.bytes
    }
}
#endif
