#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppStoreSignedData
import HTTPTypes

/// Finds the purchases of a customer by what support knows: an account, a transaction, or the order number of Apple's
/// mail.
@available(AppReceiptServer 1.0, *)
struct CustomerSearch: Sendable {
    let service: ReceiptService
    /// The apps and environments.
    let scopes: RequestedScopes
    /// The context of the request.
    let context: ServerContext

    /// What was found.
    struct Found: Sendable {
        /// The purchases that the client may see, those of each customer together.
        let customers: [[ScopedOriginal]]
        let match: Match
        /// The text that led to them.
        let text: String

        var purchases: [ScopedOriginal] { customers.flatMap(\.self) }

        init(customers: [[ScopedOriginal]], match: Match, text: String) {
            (self.customers, self.match, self.text) = (customers, match, text)
        }

        /// Creates a result of one customer.
        init(purchases: [ScopedOriginal], match: Match, text: String) {
            self.init(customers: [purchases], match: match, text: text)
        }
    }

    /// What a text is.
    enum Match: String, Sendable {
        case account, transaction, order, claims
    }

    /// Returns the purchases of an account, a transaction or original identifier, or an order number.
    ///
    /// - Parameter text: The account, identifier or number.
    /// - Throws: `customer-unknown` if nothing is known under the text, `app-store-failed` if the App Store can't be
    ///   asked about it, or doesn't answer in time.
    func purchases(matching text: String) async throws -> Found {
        try service.check(scopes, in: context)
        if let found = try await account(namedOrHashed: text) { return found }
        let named = try await service.purchases(text, within: scopes, in: context)
        guard named.isEmpty else { return Found(purchases: named, match: .transaction, text: text) }
        let lookup = AppStoreLookup(service: service, scopes: scopes, context: context)
        if let identifier = AppStoreIdentifier(text), let found = try await lookup.purchases(of: identifier) {
            return Found(purchases: found, match: identifier.match, text: identifier.text)
        }
        // Such as "Order MK4TTTVWJH".
        if AppStoreIdentifier(text) == nil {
            if let found = try await purchases(in: PastedText(Array(text.utf8))) { return found }
        }
        if case .order? = AppStoreIdentifier(text) { throw unknown([.order(text.uppercased())]) }
        throw unknown(
            named: service.clients == nil ? "this account or transaction" : "this account, transaction or order number")
    }

    /// Returns the purchases of the only identifier in a text with other words, or in the parts of a mail, or of the
    /// only account that it names; nil if there is none.
    ///
    /// - Parameter text: The text.
    /// - Throws: `customer-ambiguous` if there are several, `customer-unknown` if nothing is known under the only one,
    ///   `app-store-failed` if the App Store can't be asked about it, or doesn't answer in time.
    func purchases(in text: PastedText) async throws -> Found? {
        // Digits in the name of an account may be somebody else's transaction.
        if let word = text.word, let found = try await account(namedOrHashed: word) { return found }
        let identifiers = text.identifiers
        let known = try await known(identifiers)
        guard known.isEmpty else {
            if known.count == 1 { return known.first }
            throw Self.ambiguous(known.map(\.text), as: "numbers of transactions")
        }
        if let found = try await account(in: text) { return found }
        let unmistakable = identifiers.filter(\.isUnmistakable)
        guard let identifier = unmistakable.first else { return nil }
        // Without the App Store, a search for one of them would fail too.
        guard service.clients != nil else { throw unknown(unmistakable, from: text.sender) }
        guard unmistakable.count == 1 else { throw Self.ambiguous(unmistakable) }
        let lookup = AppStoreLookup(service: service, scopes: scopes, context: context)
        guard let found = try await lookup.purchases(of: identifier) else {
            throw unknown([identifier], from: text.sender)
        }
        return Found(purchases: found, match: identifier.match, text: identifier.text)
    }

    /// Returns the purchases of the only account that a text names; nil if there is none.
    ///
    /// - Throws: `customer-ambiguous` if there are several.
    private func account(in text: PastedText) async throws -> Found? {
        let known = try await accounts(in: text)
        guard known.count < 2 else { throw Self.ambiguous(known.map(\.text), as: "accounts") }
        if let found = known.first { return found }
        // Somebody who sends only addresses, or a name that isn't a word, searches.
        let names = text.searchedNames
        guard !names.isEmpty, !text.identifiers.contains(where: \.isUnmistakable) else { return nil }
        throw unknown(named: "the account \(names.prefix(Self.maxShown).joined(separator: " or "))")
    }

    /// Returns the purchases of the known account that a text names; nil if it names none or several.
    func onlyAccount(in text: PastedText) async throws -> Found? {
        let known = try await accounts(in: text)
        return known.count == 1 ? known.first : nil
    }

    /// Returns the stored purchases of the only known account that a text names, or of the only known transaction; nil
    /// if there are none or several.
    func storedPurchases(in text: PastedText) async throws -> Found? {
        if let found = try await onlyAccount(in: text) { return found }
        let known = try await known(text.identifiers)
        return known.count == 1 ? known.first : nil
    }

    /// Returns the purchases of the known accounts that a text names.
    func accounts(in text: PastedText) async throws -> [Found] {
        var known: [Found] = []
        for name in text.names {
            guard let found = try await account(named: name), !known.contains(where: { $0.text == found.text }) else {
                continue
            }
            known.append(found)
        }
        return known
    }

    /// Returns the purchases of an account; nil if the client may see none. An address of mail is also searched in
    /// lowercase.
    private func account(named name: String) async throws -> Found? {
        let name = Accounts.canonicalName(name)
        for name in name.contains("@") && name != name.lowercased() ? [name, name.lowercased()] : [name] {
            let owned = try await service.store.purchases(of: name)
                .filter { context.access.allows($0.scope.app) && scopes.contain($0.scope) }
            if !owned.isEmpty { return Found(purchases: owned, match: .account, text: name) }
        }
        return nil
    }

    /// Returns the purchases of an account, as ``account(named:)`` returns them. The text may also be the hash of a
    /// name, which the page shows.
    private func account(namedOrHashed text: String) async throws -> Found? {
        guard Accounts.isHash(text) else { return try await account(named: text) }
        let owned = try await service.store.purchases(ofStored: text)
            .filter { context.access.allows($0.scope.app) && scopes.contain($0.scope) }
        return owned.isEmpty ? nil : Found(purchases: owned, match: .account, text: text)
    }

    /// Returns the first transactions that can be searched. Xcode's are "0" and so on, whoever bought them.
    static func searchable(_ transactions: [String]) -> [AppStoreIdentifier] {
        Array(
            transactions.compactMap { AppStoreIdentifier($0) }
                .filter { if case .transaction = $0 { $0.isUnmistakable } else { false } }
                .prefix(PastedText.maxIdentifiers))
    }

    /// The number of names, identifiers or leads that are shown.
    static let maxShown = 5

    /// Returns the purchases of the transactions that unsigned data claims; nil if nothing is known about them.
    ///
    /// The App Store is asked only if none is known here, and only about the newest one.
    ///
    /// - Parameter claims: The claims. They prove nothing, so their identifiers only serve as search keys.
    /// - Throws: `customer-ambiguous` if they belong to several accounts, `app-store-failed` if the App Store can't be
    ///   asked, or doesn't answer in time.
    func purchases(claimedBy claims: ClaimedPurchases) async throws -> Found? {
        let identifiers = Self.searchable(claims.transactionIdentifiers)
        guard let newest = identifiers.first else { return nil }
        let known = try await known(identifiers)
        // Anyone can claim the transactions of somebody else beside his own.
        let purchases = Set(known.flatMap(\.purchases))
        guard !purchases.isEmpty else {
            let lookup = AppStoreLookup(service: service, scopes: scopes, context: context)
            return try await lookup.purchases(of: newest)
                .map { Found(purchases: $0, match: .claims, text: newest.text) }
        }
        let owners = try await service.store.accounts(of: purchases.sorted())
        guard Set(purchases.map { owners[$0] }).count < 2 else {
            throw Self.ambiguous(known.map(\.text), as: "numbers of transactions of several customers")
        }
        let customers =
            owners.isEmpty ? try await customers(owning: purchases) : [purchases.sorted()]
        return Found(customers: customers, match: .claims, text: newest.text)
    }

    /// Returns purchases without an account, those together that a stored receipt contains. The claims don't prove that
    /// the others are one customer's.
    private func customers(owning purchases: Set<ScopedOriginal>) async throws -> [[ScopedOriginal]] {
        guard purchases.count > 1 else { return [purchases.sorted()] }
        let history = service.history(for: context)
        var stored: [AppScope: CustomerEvidence] = [:]
        for (scope, purchases) in Dictionary(grouping: purchases, by: \.scope) {
            stored[scope] = try await history.evidence(
                of: Set(purchases.map(\.originalTransactionIdentifier)), app: scope.app,
                environment: scope.environment)
        }
        var customers = CustomerGroups(in: stored)
        // What can't be verified is a purchase too.
        for purchase in purchases { customers.join([purchase]) }
        return customers.sorted.map { $0.filter(purchases.contains) }.filter { !$0.isEmpty }
    }

    /// Returns the stored purchases of transactions, each once.
    func known(_ identifiers: [AppStoreIdentifier]) async throws -> [Found] {
        var known: [Found] = []
        for case .transaction(let identifier) in identifiers {
            let purchases = try await service.purchases(identifier, within: scopes, in: context)
            guard !purchases.isEmpty, !known.contains(where: { $0.purchases == purchases }) else { continue }
            known.append(Found(purchases: purchases, match: .transaction, text: identifier))
        }
        return known
    }

    private static func ambiguous(_ identifiers: [AppStoreIdentifier]) -> APIError {
        let areOrders = identifiers.allSatisfy { if case .order = $0 { true } else { false } }
        let kind = areOrders ? "order numbers" : "numbers of orders and transactions"
        return ambiguous(identifiers.map(\.text), as: kind)
    }

    private static func ambiguous(_ texts: [String], as kind: String) -> APIError {
        let shown = Array(texts.prefix(maxShown))
        var error = APIError(
            .notFound, .customerAmbiguous,
            "The message contains \(texts.count) \(kind). Search for one of them: \(shown.joined(separator: ", ")).")
        error.details["candidates"] = .array(shown.map { .string($0) })
        return error
    }

    /// Returns the error for identifiers that aren't known: one, or several that can't be looked up.
    ///
    /// - Parameters:
    ///   - identifiers: The identifiers.
    ///   - sender: The sender of the message, whose account isn't known either; nil for none.
    private func unknown(_ identifiers: [AppStoreIdentifier], from sender: String? = nil) -> APIError {
        let stranger = sender.map { " The message is from \($0), which isn't a known account." } ?? ""
        // "order A or B or transaction C"
        var names: [String] = []
        var last: Match?
        for identifier in identifiers.prefix(Self.maxShown) {
            names.append(identifier.match == last ? identifier.text : "\(identifier.match.rawValue) \(identifier.text)")
            last = identifier.match
        }
        let name = names.joined(separator: " or ")
        if service.clients == nil, identifiers.allSatisfy({ $0.match == .order }) {
            return APIError(
                .notImplemented, .appStoreUnconfigured,
                "This server can't look up the \(name): it has no key for the App Store. Ask the customer for the account, or for the receipt of the app.\(stranger)"
            )
        }
        return APIError(
            .notFound, .customerUnknown,
            service.clients != nil
                ? "The App Store knows no \(name) of the apps that this server serves. Check the number, or ask the customer for the receipt of the app.\(stranger)"
                : "The \(name) isn't known here. Check the number, or ask the customer for the receipt of the app. To look up more, the server needs its key for the App Store.\(stranger)"
        )
    }

    /// Returns the error for what names nothing that is known.
    private func unknown(named name: String) -> APIError {
        let remedy =
            service.clients != nil
            ? "Check it, or ask the customer for Apple's mail about the purchase, and paste that."
            : "Check it, or ask the customer for the receipt of the app."
        return APIError(.notFound, .customerUnknown, "Nothing is known under \(name). \(remedy)")
    }
}

extension AppStoreIdentifier {
    /// What is found by the identifier.
    @available(AppReceiptServer 1.0, *)
    fileprivate var match: CustomerSearch.Match {
        switch self {
        case .transaction: .transaction
        case .order: .order
        }
    }
}
#endif
