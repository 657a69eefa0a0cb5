import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData

@available(AppStoreServerAPI 1.0, *)
extension StoreResult {
    /// The transactions of a history, of the refunds or of an order.
    ///
    /// - Parameters:
    ///   - title: The heading of the list.
    ///   - transactions: The verified transactions.
    ///   - rejected: The items that were rejected.
    ///   - environment: The environment.
    ///   - entitlements: What the customer owns; nil if the list doesn't show it.
    ///   - members: Further members of the JSON.
    init(
        title: String = "Transactions", transactions: [VerifiedTransaction],
        rejected: [AppStoreServerClient.RejectedItem], in environment: AppStoreEnvironment,
        entitlements: [Entitlement]?, members: JSONObject = [:]
    ) {
        var object: JSONObject = [:]
        object["products"] = entitlements.map { .entitlements($0) }
        object["transactions"] = .array(transactions.map { .object($0.claims.members) })
        object["rejected"] = rejected.json
        object["environment"] = .string(environment.rawValue)
        for member in members.members { object[member.name] = member.value }
        var lines: [String] = []
        if transactions.isEmpty, !rejected.isEmpty {
            lines = [Self.nothingVerified, ""]
        } else if let entitlements {
            let owned = EntitlementText(terminal: .output)
            lines = owned.products(entitlements) + owned.reasons(entitlements) + [""]
        }
        lines += TransactionText(terminal: .output).lines(transactions, title: "\(title), \(environment.rawValue)")
        self.init(
            json: .object(object), lines: lines + rejected.lines, notes: rejected.notes, isSuccess: rejected.isEmpty,
            signedDates: transactions.map(\.signedDate))
    }
}

/// Signed transactions as text: one line for each, in their order.
private struct TransactionText {
    let terminal: Terminal

    func lines(_ transactions: [VerifiedTransaction], title: String = "Transactions") -> [String] {
        let heading = terminal.styled(transactions.isEmpty ? title : "\(title) (\(transactions.count))", as: .bold)
        guard !transactions.isEmpty else { return [heading, "  none"] }
        var table = Table(columns: [
            "product", "type", "transaction", "original", "bought (UTC)", "until (UTC)", "price", "notes",
        ])
        for claims in transactions.map(\.claims) {
            let original = claims.originalTransactionIdentifier
            let quantity = claims.quantity ?? 1
            table.add([
                (claims.productIdentifier ?? "?") + (quantity > 1 ? " ×\(quantity)" : ""),
                claims.productType?.rawValue ?? "", claims.transactionIdentifier ?? "?",
                original == claims.transactionIdentifier ? "" : original ?? "",
                claims.purchaseDate.map(DateText.minute) ?? "?", claims.expirationDate.map(DateText.minute) ?? "",
                SignedDataSummary.price(claims.price, in: claims.currency) ?? "", notes(claims),
            ])
        }
        return [heading] + table.lines(terminal)
    }

    /// What the transaction states about itself.
    private func notes(_ claims: TransactionClaims) -> String {
        var words: [String] = []
        if let date = claims.revocationDate { words.append("revoked \(DateText.minute(date))") }
        if claims.isUpgraded == true { words.append("upgraded") }
        if claims.ownership == .familyShared { words.append("family sharing") }
        if let offer = claims.offerIdentifier { words.append("offer \(offer)") }
        return words.joined(separator: ", ")
    }
}
