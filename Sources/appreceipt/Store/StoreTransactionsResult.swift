import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData

/// The transactions of a history, of the refunds or of an order.
@available(AppStoreServerAPI 1.0, *)
struct StoreTransactionsResult: StoreResult {
    let environment: AppStoreEnvironment
    let transactions: [VerifiedTransaction]
    let rejected: [StoreRejection]
    /// What the customer owns; nil if the list doesn't show it.
    let entitlements: [Entitlement]?
    /// The heading of the list.
    var title = "Transactions"
    /// Whether the App Store knows the order; nil for other lists.
    var orderStatus: AppStoreServerClient.OrderLookup.Status?

    /// The position from which a later request continues; nil if there is none.
    var revision: String?

    /// The history of a customer.
    ///
    /// - Parameter isWhole: Whether the history begins with the first transaction. A part doesn't show what the
    ///   customer owns.
    init(history: AppStoreServerClient.PurchaseHistory, isWhole: Bool = true, bundleIdentifier: String, at date: Date) {
        environment = history.environment
        transactions = history.transactions
        rejected = history.rejected.map { StoreRejection($0) }
        entitlements =
            isWhole
            ? Self.entitlements(from: history.transactions, of: bundleIdentifier, in: history.environment, at: date)
            : nil
        revision = history.cursor?.revision
    }

    /// The refunds of a customer. A later purchase of the same product isn't among them, so they don't show what the
    /// customer owns.
    init(refunds: AppStoreServerClient.PurchaseHistory) {
        environment = refunds.environment
        transactions = refunds.transactions
        rejected = refunds.rejected.map { StoreRejection($0) }
        entitlements = nil
        title = "Refunds"
    }

    /// An order.
    init(order: AppStoreServerClient.OrderLookup, bundleIdentifier: String, at date: Date) {
        environment = order.environment
        transactions = order.transactions
        rejected = order.rejected.map { StoreRejection($0) }
        entitlements = Self.entitlements(
            from: order.transactions, of: bundleIdentifier, in: order.environment, at: date)
        orderStatus = order.unverified.status
    }

    /// What the customer owns at a date, but not before the newest transaction was signed.
    private static func entitlements(
        from transactions: [VerifiedTransaction], of bundleIdentifier: String, in environment: AppStoreEnvironment,
        at date: Date
    ) -> [Entitlement] {
        Entitlements(
            bundleIdentifier: bundleIdentifier, environment: environment, transactions: transactions,
            at: transactions.map(\.signedDate).reduce(date) { max($0, $1) }
        ).all
    }

    private var isKnown: Bool { orderStatus.map { $0 == .valid } ?? true }

    var isSuccess: Bool { rejected.isEmpty && isKnown }

    var signedDates: [Date] { transactions.map(\.signedDate) }

    var json: AppStoreJSON {
        var object: AppStoreJSON.Object = [:]
        if let entitlements { object["products"] = .array(entitlements.map(\.json)) }
        object["transactions"] = .array(transactions.map { .object($0.claims.members) })
        object["rejected"] = StoreRejection.json(rejected)
        object["environment"] = .string(environment.rawValue)
        if let revision { object["revision"] = .string(revision) }
        if let orderStatus { object["unverified"] = ["status": .number(AppStoreJSON.Number(orderStatus.rawValue))] }
        return .object(object)
    }

    var lines: [String] {
        guard isKnown else { return ["The App Store doesn't know the order in \(environment.rawValue)."] }
        let owned = EntitlementText(terminal: .output)
        var lines: [String] = []
        if transactions.isEmpty, !rejected.isEmpty {
            lines += [StoreRejection.nothingVerified, ""]
        } else if let entitlements {
            lines += owned.products(entitlements) + owned.reasons(entitlements) + [""]
        }
        lines += TransactionText(terminal: .output).lines(transactions, title: "\(title), \(environment.rawValue)")
        return lines + StoreRejection.lines(rejected)
    }

    var notes: [String] {
        guard isKnown else { return ["Check the order identifier in the customer's email from Apple."] }
        return StoreRejection.notes(rejected)
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
