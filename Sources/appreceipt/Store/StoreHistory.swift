import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI
import AppStoreSignedData
import ArgumentParser

/// `appreceipt store history`
@available(AppStoreServerAPI 1.0, *)
struct StoreHistory: StoreCustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Shows the transactions of a customer, verified, and what the customer owns.",
        discussion: """
            Asks for the transaction history only, page by page. Finished consumables are included. For the state of a \
            subscription's renewal, use 'appreceipt store status'.

            If a page can't be read, nothing is shown: a part of a history would look like all of it.

            --revision continues from the "revision" of an earlier result, with the same --environment, and shows only \
            what changed since. What the customer owns isn't shown then, because a part of the transactions doesn't \
            prove it.

            With --format json: {"products": [as in 'appreceipt purchases'], "transactions": [claims in Apple's names \
            and order], "rejected": [{"index", "code", "message", "remedy", "documentation"}], "environment", \
            "revision"}; or {"error": {"code", "appleErrorCode", "message", "remedy", "httpStatus", "environment", …}}.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store history 2000000000000001 OPTIONS
              appreceipt store history --receipt receipt OPTIONS --format json

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @Option(
        help: ArgumentHelp("The revision of an earlier result. Requires --environment.", valueName: "text"),
        transform: ArgumentConversion.nonEmpty)
    var revision: String?

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func validate() throws {
        guard revision == nil || options.environment != nil else {
            throw ValidationError("--revision requires --environment, the environment of the earlier result.")
        }
    }

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient, progress: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let cursor = revision.map {
            AppStoreServerCursor(environment: client.environments.first ?? .production, revision: $0)
        }
        let history = try await client.history(
            ofCustomer: identifier, query: AppStoreServerClient.HistoryQuery(cursor: cursor)
        ).collected { page in
            progress.add(page.transactions.count, named: "transactions", in: page.environment, hasMore: page.hasMore)
        }
        var members: AppStoreJSON.Object = [:]
        members["revision"] = history.cursor.map { .string($0.revision) }
        // A part of the transactions doesn't show what the customer owns.
        let owned =
            cursor == nil ? client.entitlements(from: history.transactions, in: history.environment) : nil
        return StoreResult(
            transactions: history.transactions, rejected: history.rejected, in: history.environment,
            entitlements: owned, members: members)
    }
}

/// `appreceipt store refunds`
@available(AppStoreServerAPI 1.0, *)
struct StoreRefunds: StoreCustomerCommand {
    static let configuration = CommandConfiguration(
        commandName: "refunds",
        abstract: "Shows the refunded transactions of a customer, verified.",
        discussion: """
            Refunds alone don't show what the customer owns, because the customer may have bought a product again: see \
            'appreceipt store history'.

            The JSON is that of 'appreceipt store history' without products.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store refunds 2000000000000001 OPTIONS
              appreceipt store refunds --receipt receipt OPTIONS

            \(StoreHelp.exitStatus)
            """)

    @OptionGroup
    var customer: StoreCustomerOptions

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func result(
        forCustomer identifier: String, from client: AppStoreServerClient, progress: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        let refunds = try await client.refunds(ofCustomer: identifier).collected { page in
            progress.add(page.transactions.count, named: "refunds", in: page.environment, hasMore: page.hasMore)
        }
        // A later purchase of the same product isn't among them, so they don't show what the customer owns.
        return StoreResult(
            title: "Refunds", transactions: refunds.transactions, rejected: refunds.rejected, in: refunds.environment,
            entitlements: nil)
    }
}

/// `appreceipt store order`
@available(AppStoreServerAPI 1.0, *)
struct StoreOrder: StoreCommand {
    static let configuration = CommandConfiguration(
        commandName: "order",
        abstract: "Shows the transactions of an order, verified.",
        discussion: """
            The order identifier is in the customer's email from Apple. Apple sends such emails for production only, \
            so the request goes to production, unless --environment is sandbox.

            With --format json: {"products": [as in 'appreceipt purchases'], "transactions": [claims in Apple's names \
            and order], "rejected": […], "environment", "unverified": {"status": 0 if the App Store knows the order, 1 \
            if not}}; or {"error": {…}}. An unknown order is a result with status 1, not an error.

            Examples (OPTIONS: --key AuthKey.p8 --key-id ID --issuer-id ID --bundle-id ID):
              appreceipt store order MM5TNX2WZ0 OPTIONS

            \(StoreHelp.exitStatus) An unknown order is 1.
            """)

    @Argument(help: "The order identifier.")
    var order: String

    @OptionGroup(title: "App Store")
    var options: StoreOptions

    func result(
        from client: AppStoreServerClient, progress _: StoreProgress
    ) async throws(AppStoreServerError) -> StoreResult {
        // No request to the sandbox after 401: it knows no orders, so its response would hide the failure.
        let found = try await client.order(order, in: client.environments.first ?? .production)
        let status = found.unverified.status
        var members: AppStoreJSON.Object = [:]
        members["unverified"] = status.map { ["status": .number(AppStoreJSON.Number($0.rawValue))] }
        var result = StoreResult(
            transactions: found.transactions, rejected: found.rejected, in: found.environment,
            entitlements: client.entitlements(from: found.transactions, in: found.environment), members: members)
        if let status, status != .valid {
            result.lines = ["The App Store doesn't know the order in \(found.environment.rawValue)."]
            result.notes = ["Check the order identifier in the customer's email from Apple."]
            result.isSuccess = false
        }
        return result
    }
}

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
        entitlements: [Entitlement]?, members: AppStoreJSON.Object = [:]
    ) {
        var object: AppStoreJSON.Object = [:]
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

    /// Returns the transaction's own statement.
    private func notes(_ claims: TransactionClaims) -> String {
        var words: [String] = []
        if let date = claims.revocationDate { words.append("revoked \(DateText.minute(date))") }
        if claims.isUpgraded == true { words.append("upgraded") }
        if claims.ownership == .familyShared { words.append("family sharing") }
        if let offer = claims.offerIdentifier { words.append("offer \(offer)") }
        return words.joined(separator: ", ")
    }
}
