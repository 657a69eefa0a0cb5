#if Server
import AppReceiptKit
import AppReceiptStore
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
        /// The purchases that the client may see.
        let purchases: [ScopedOriginal]
        let match: Match
        /// The text that led to them.
        let text: String
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
        let owned = try await service.store.purchases(of: text)
            .filter { context.access.allows($0.scope.app) && scopes.contain($0.scope) }
        guard owned.isEmpty else { return Found(purchases: owned, match: .account, text: text) }
        let named = try await service.purchases(text, within: scopes, in: context)
        guard named.isEmpty else { return Found(purchases: named, match: .transaction, text: text) }
        let lookup = AppStoreLookup(service: service, scopes: scopes, context: context)
        if let identifier = AppStoreIdentifier(text), let found = try await lookup.purchases(of: identifier) {
            return Found(purchases: found, match: identifier.match, text: identifier.text)
        }
        // Such as "Order MK4TTTVWJH".
        if AppStoreIdentifier(text) == nil, let found = try await purchases(in: Array(text.utf8)) { return found }
        if case .order? = AppStoreIdentifier(text) { throw unknown(.order(text.uppercased())) }
        throw Self.unknown(isComplete: service.clients != nil)
    }

    /// Returns the purchases of the only identifier in a text with other words, or in the parts of a mail, or of the
    /// only account that it names; nil if there is none.
    ///
    /// - Parameter text: The text in UTF-8.
    /// - Throws: `customer-ambiguous` if there are several, `customer-unknown` if nothing is known under the only one,
    ///   `app-store-failed` if the App Store can't be asked about it, or doesn't answer in time.
    func purchases(in text: [UInt8]) async throws -> Found? {
        let identifiers = AppStoreIdentifier.all(in: Array(MailText(text[...]).text), maxCount: Self.maxIdentifiers)
        let known = try await known(identifiers)
        guard known.isEmpty else {
            if known.count == 1 { return known.first }
            throw Self.ambiguous(known.map(\.text))
        }
        if let found = try await account(in: text) { return found }
        let unmistakable = identifiers.filter(\.isUnmistakable)
        guard let identifier = unmistakable.first else { return nil }
        guard unmistakable.count == 1 else { throw Self.ambiguous(unmistakable.map(\.text)) }
        let lookup = AppStoreLookup(service: service, scopes: scopes, context: context)
        guard let found = try await lookup.purchases(of: identifier) else {
            throw unknown(identifier)
        }
        return Found(purchases: found, match: identifier.match, text: identifier.text)
    }

    /// Returns the purchases of the account that is the whole text, or of the only one whose name is an address of mail
    /// in it; nil if there is none.
    ///
    /// - Throws: `customer-ambiguous` if there are several.
    private func account(in text: [UInt8]) async throws -> Found? {
        let whole = Array(text[...].trimmingWhitespace)
        let names =
            (whole.count <= Self.maxNameBytes ? [String(decoding: whole, as: UTF8.self)] : [])
            + Self.mailAddresses(in: Array(MailText(text[...]).text))
        var known: [Found] = []
        for name in names where !known.contains(where: { $0.text == name }) {
            let owned = try await service.store.purchases(of: name)
                .filter { context.access.allows($0.scope.app) && scopes.contain($0.scope) }
            if !owned.isEmpty { known.append(Found(purchases: owned, match: .account, text: name)) }
        }
        guard known.count < 2 else { throw Self.ambiguous(known.map(\.text)) }
        return known.first
    }

    /// The addresses of mail in a text, the first ones.
    private static func mailAddresses(in text: [UInt8]) -> [String] {
        let words = text.split { $0 <= UInt8(ascii: " ") || Self.addressEnds.contains($0) }
        return words.lazy.filter { word in
            guard let at = word.firstIndex(of: UInt8(ascii: "@")) else { return false }
            return at > word.startIndex && word[at...].contains(UInt8(ascii: ".")) && word.count <= Self.maxNameBytes
        }.prefix(maxIdentifiers).map { word in
            String(decoding: word.reversed().drop { $0 == UInt8(ascii: ".") }.reversed(), as: UTF8.self)
        }
    }

    /// The characters that aren't part of an address, as in `Anna <anna@example.com>, …`.
    private static let addressEnds = Array("<>()[]\",;:'".utf8)
    /// The length of the longest account.
    private static let maxNameBytes = 256

    /// Returns the purchases of the transactions that unsigned data claims; nil if nothing is known about them.
    ///
    /// The App Store is asked only if none is known here, and only about the newest one.
    ///
    /// - Parameter claims: The claims. They prove nothing, so their identifiers only serve as search keys.
    /// - Throws: `app-store-failed` if the App Store can't be asked, or doesn't answer in time.
    func purchases(claimedBy claims: ClaimedPurchases) async throws -> Found? {
        // Xcode's transactions are "0" and so on, whoever bought them.
        let identifiers = claims.transactionIdentifiers.prefix(Self.maxIdentifiers)
            .compactMap { AppStoreIdentifier($0) }.filter(\.isUnmistakable)
        guard let newest = identifiers.first else { return nil }
        var purchases = Set(try await known(identifiers).flatMap(\.purchases))
        if purchases.isEmpty {
            let lookup = AppStoreLookup(service: service, scopes: scopes, context: context)
            purchases = Set(try await lookup.purchases(of: newest) ?? [])
        }
        return purchases.isEmpty ? nil : Found(purchases: purchases.sorted(), match: .claims, text: newest.text)
    }

    /// Returns the stored purchases of transactions, each once.
    private func known(_ identifiers: [AppStoreIdentifier]) async throws -> [Found] {
        var known: [Found] = []
        for case .transaction(let identifier) in identifiers {
            let purchases = try await service.purchases(identifier, within: scopes, in: context)
            guard !purchases.isEmpty, !known.contains(where: { $0.purchases == purchases }) else { continue }
            known.append(Found(purchases: purchases, match: .transaction, text: identifier))
        }
        return known
    }

    /// The number of identifiers in a text that are looked up. A mail has fewer.
    private static let maxIdentifiers = 20

    private static func ambiguous(_ texts: [String]) -> APIError {
        APIError(
            .notFound, .customerAmbiguous,
            "The text names several customers. Search for one of them: "
                + texts.prefix(3).joined(separator: ", "))
    }

    /// The error for an identifier that isn't known.
    private func unknown(_ identifier: AppStoreIdentifier) -> APIError {
        let name =
            switch identifier {
            case .transaction(let text): "transaction \(text)"
            case .order(let text): "order \(text)"
            }
        return APIError(
            .notFound, .customerUnknown,
            service.clients != nil
                ? "The App Store knows no \(name) of the apps that this server serves. Check the number, or ask the customer for the receipt of the app."
                : "The \(name) isn't known here. Check the number, or ask the customer for the receipt of the app. To look up more, the server needs its key for the App Store."
        )
    }

    private static func unknown(isComplete: Bool) -> APIError {
        APIError(
            .notFound, .customerUnknown,
            isComplete
                ? "Nothing is known under this account, transaction or order number. Check it, or ask the customer for Apple's mail about the purchase, and paste that."
                : "Nothing is known under this account or transaction. Check it, or ask the customer for the receipt of the app. Order numbers need the server's key for the App Store."
        )
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
