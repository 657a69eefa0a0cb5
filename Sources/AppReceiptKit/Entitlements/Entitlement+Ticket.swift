import AppReceiptFoundation
import AppReceiptParsing
import AppReceiptSupport

extension Entitlement {
    /// Returns the facts for a support ticket: product, state, dates, the reason, the original transaction, and what
    /// decided.
    ///
    /// Dates are RFC 3339 in UTC. The text contains identifiers of the customer's transactions, so it isn't for logs.
    ///
    /// - Parameter productNames: The names of products by their identifiers.
    /// - Returns: Facts and the ``reason``, in English.
    public func ticketSentence(productNames: [String: String] = [:]) -> String {
        let name = productNames[productIdentifier].map { " (\"\($0)\")" } ?? ""
        let facts = [
            "\(productIdentifier)\(name): \(Self.words(kind.rawValue)) in \(environment.rawValue), \(Self.words(state.rawValue))",
            accessText, since.map { "since \(ReceiptDate.string(from: $0))" },
            until.map { "until \(ReceiptDate.string(from: $0))" }, renewalText,
            quantity == 1 ? nil : "quantity \(quantity)",
            refundedPercentage.map { "\(Self.number($0).text) % refunded" },
            ownership.map { "ownership \(Self.words($0.rawValue))" },
        ]
        let evidence = [
            originalTransactionIdentifier.map { "original transaction \($0)" } ?? "no original transaction",
            transactionIdentifier.map { "decided by transaction \($0)" },
            "newest evidence signed on \(ReceiptDate.string(from: asOf))",
        ]
        let text = evidence.compactMap { $0 }.joined(separator: ", ")
        return "\(facts.compactMap { $0 }.joined(separator: ", ")). \(reason) \(text.prefix(1).uppercased())"
            + "\(text.dropFirst())."
    }

    /// Returns the words of a name: `nonConsumable` is "non-consumable", and `FAMILY_SHARED` is "family shared".
    private static func words(_ name: String) -> String {
        guard name.contains(where: \.isLowercase) else {
            return name.lowercased().split(separator: "_").joined(separator: " ")
        }
        let words = name.reduce(into: "") { $0 += $1.isUppercase ? " \($1.lowercased())" : String($1) }
        return words.hasPrefix("non ") ? "non-\(words.dropFirst(4))" : words
    }

    /// Whether the customer has access. The app decides about what is used up, and about what has no known end.
    private var accessText: String {
        if isActive { return "access" }
        return state == .owned ? "access is the app's decision" : "no access"
    }

    /// Whether the App Store couldn't bill a renewal, and still tries to.
    private var isUnpaid: Bool { state == .gracePeriod || state == .billingRetry }

    private var renewalText: String? {
        switch (willRenew, renewsAs) {
        case (true, _): isUnpaid ? "renewal on, payment failed" : "renews"
        case (_, let product?): "renews as \(product)"
        // Every state that is over doesn't renew.
        case (false, nil): isActive ? "won't renew" : nil
        case (nil, nil): nil
        }
    }
}
