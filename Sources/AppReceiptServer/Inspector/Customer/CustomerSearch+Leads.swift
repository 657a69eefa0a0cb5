#if Server
import AppReceiptStore
import AppReceiptSupport

@available(AppReceiptServer 1.0, *)
extension CustomerSearch {
    /// What else a text names beside what it was found or verified by.
    struct Lead: Sendable {
        /// A sentence about it.
        let words: String
        /// What can be searched; nil if a search would find nothing.
        let search: String?
        /// The error of a search for it, if it is known.
        let code: APIError.Code?
        /// Whether the sender isn't the customer whose purchases are shown, and must not be told about them.
        let isAboutOtherSender: Bool

        init(words: String, search: String?, code: APIError.Code? = nil, isAboutOtherSender: Bool = false) {
            (self.words, self.search, self.code) = (words, search, code)
            self.isAboutOtherSender = isAboutOtherSender
        }

        var json: AppStoreJSON {
            [
                "words": .string(words), "search": .text(search), "code": .text(code?.rawValue),
                "isAboutOtherSender": .boolean(isAboutOtherSender),
            ]
        }
    }

    /// Returns what else a text names beside what it was found or verified by.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - accounts: The known accounts that it names.
    ///   - customer: What is shown; nil if nothing is proven.
    ///   - known: The identifier that led to it; nil for none.
    ///   - said: The accounts that another lead names.
    func leads(
        in text: PastedText, naming accounts: [Found], besides customer: CustomerDocument?, and known: String? = nil,
        said: Set<String> = []
    ) -> [Lead] {
        var leads: [Lead] = []
        let senders = text.senders
        let isFromOwner = accounts.contains {
            senders.contains($0.text.lowercased()) && !Set(customer?.purchases ?? []).isDisjoint(with: $0.purchases)
        }
        // Names aren't compared: the shown ones may be hashes.
        for found in accounts
        where !said.contains(found.text) && Set(customer?.purchases ?? []).isDisjoint(with: found.purchases) {
            let others = customer == nil ? "" : " and doesn't own what is shown"
            leads.append(
                Lead(
                    words: "The message also names the account \(found.text), which is known\(others).",
                    search: found.text,
                    isAboutOtherSender: found.text.lowercased() == text.sender && customer?.accountNames.count == 1
                        && !isFromOwner))
        }
        if let sender = text.sender, !accounts.contains(where: { $0.text.lowercased() == sender }) {
            leads += lead(
                aboutUnknownSender: sender, of: customer, isNamed: known != nil, isFromOwner: isFromOwner)
        }
        for case .order(let order) in text.identifiers
        where order != known && AppStoreIdentifier.order(order).isUnmistakable {
            leads.append(
                service.clients == nil
                    ? Lead(
                        words:
                            "The message asks about the order \(order), which this server can't look up: it has no key for the App Store. What is shown may be about something else.",
                        search: nil, code: .appStoreUnconfigured)
                    : Lead(
                        words: "The message also contains the order number \(order), which wasn't looked up.",
                        search: order))
        }
        return Array(leads.prefix(Self.maxShown))
    }

    /// That the sender of a message isn't the account of what is shown, or that there is none.
    ///
    /// - Parameters:
    ///   - sender: The sender's address.
    ///   - customer: What is shown; nil if nothing is proven.
    ///   - isNamed: Whether words led to it, which anyone can write, rather than a receipt.
    ///   - isFromOwner: Whether a forwarded mail is from the account of what is shown.
    private func lead(
        aboutUnknownSender sender: String, of customer: CustomerDocument?, isNamed: Bool, isFromOwner: Bool
    ) -> [Lead] {
        guard let customer else {
            return [Lead(words: "The message is from \(sender), which isn't a known account.", search: nil)]
        }
        let names = customer.accountNames
        guard !names.isEmpty else {
            let words =
                "The message is from \(sender), which isn't a known account, and no account has submitted what is shown."
            return [Lead(words: words, search: nil)]
        }
        guard names.contains(where: { $0?.contains("@") ?? true }) else {
            // Names of another kind say nothing about an address.
            guard isNamed else { return [] }
            let words =
                "The message is from \(sender), and what is shown is of \(names.compactMap(\.self).joined(separator: ", ")). Check that they are the same person."
            return [Lead(words: words, search: nil)]
        }
        let next = names.contains(nil) ? "ask for the name of the account" : "answer the account"
        let words = "The message is from \(sender), which isn't the account of what is shown: \(next)."
        return [Lead(words: words, search: nil, isAboutOtherSender: names.count == 1 && !isFromOwner)]
    }

    /// That known transactions in the words of a person aren't of what is shown.
    func leads(toOtherTransactionsIn text: PastedText, besides customer: CustomerDocument) async throws -> [Lead] {
        let shown = Set(customer.purchases)
        return try await known(text.identifiers).filter { shown.isDisjoint(with: $0.purchases) }.prefix(Self.maxShown)
            .map { found in
                let words =
                    "The message also names the transaction \(found.text), which is known and isn't of what is shown."
                return Lead(words: words, search: found.text)
            }
    }

    /// That transactions in the words of a person aren't known, beside an account that was found.
    func leads(toUnknownTransactionsIn text: PastedText) async throws -> [Lead] {
        var unknown: [String] = []
        for case .transaction(let number) in text.identifiers where Self.looksLikeApples(number) {
            if try await known([.transaction(number)]).isEmpty { unknown.append(number) }
        }
        guard let first = unknown.first else { return [] }
        let numbers = unknown.prefix(Self.maxShown).joined(separator: ", ")
        let words =
            unknown.count == 1
            ? "The message contains the number \(numbers), which isn't a known transaction."
            : "The message contains the numbers \(numbers), which aren't known transactions."
        guard text.mentionsTransaction else { return [Lead(words: words, search: nil)] }
        let more = "\(words) What is shown may be about something else."
        return service.clients == nil
            ? [Lead(words: more, search: nil, code: .customerUnknown)] : [Lead(words: more, search: first)]
    }

    /// Returns whether a number is as long as those of transactions today. Dates, telephone numbers and others are not.
    private static func looksLikeApples(_ number: String) -> Bool {
        (15...16).contains(number.utf8.count) && number.utf8.first != UInt8(ascii: "0")
    }

    /// Whose transactions an input names which isn't valid, and what else its text names.
    ///
    /// - Parameters:
    ///   - transactions: The transactions. They prove nothing, so they only serve as search keys.
    ///   - text: The text.
    func leads(toTransactions transactions: [String], in text: PastedText) async throws -> [Lead] {
        let accounts = try await accounts(in: text)
        var leads: [Lead] = []
        var said: Set<String> = []
        for found in try await known(Self.searchable(transactions)).prefix(Self.maxShown) {
            let stored = try await service.store.accounts(of: found.purchases).values.sorted()
            // The name of a hash is known if the text has it.
            let named = accounts.filter { !Set($0.purchases).isDisjoint(with: found.purchases) }
            said.formUnion(named.map(\.text))
            let names = named.isEmpty ? stored.filter { !Accounts.isHash($0) } : named.map(\.text)
            let owner =
                stored.isEmpty
                ? "of no account"
                : names.isEmpty
                    ? "of an account whose name isn't stored" : "of the account \(names.joined(separator: " or "))"
            let words =
                "It names the transaction \(found.text), which is known and \(owner). What Apple signed about it counts."
            leads.append(Lead(words: words, search: named.first?.text ?? found.text))
        }
        return leads + self.leads(in: text, naming: accounts, besides: nil, said: said)
    }
}
#endif
