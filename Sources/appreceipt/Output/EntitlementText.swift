import AppReceiptFoundation
import AppReceiptKit
import AppReceiptSupport

/// Entitlements as text: one line for each product, then the reasons and next steps.
struct EntitlementText {
    let terminal: Terminal

    /// Returns one line for each product: identifier, state, dates, renewal, environment, and when the newest evidence
    /// was signed.
    ///
    /// - Parameters:
    ///   - entitlements: The entitlements.
    ///   - requested: Products that have a line even if the customer never bought them.
    ///   - isVerified: Whether any evidence was verified. Otherwise the absence of purchases means nothing.
    func products(_ entitlements: [Entitlement], requested: [String] = [], isVerified: Bool = true) -> [String] {
        let missing = requested.filter { product in !entitlements.contains { $0.isFor(product: product) } }
        guard !entitlements.isEmpty || !missing.isEmpty else {
            return [isVerified ? "No in-app purchases." : "Nothing is verified, so no purchases are shown."]
        }
        var table = Table(columns: ["", "", "", "", "", ""])
        for entitlement in entitlements { table.add(row(entitlement)) }
        for product in missing { table.add([product, "no evidence", "", "", "", ""]) }
        // The first lines of the output aren't indented, so that scripts can read them.
        return table.lines(terminal).map { String($0.dropFirst(2)) }
    }

    /// That the app itself is a volume purchase, and until when; empty for other apps.
    func volumePurchase(_ receipt: VerifiedReceipt, at date: Date) -> [String] {
        let environment = receipt.environment.map { " (\($0.rawValue))" } ?? ""
        switch receipt.volumePurchase(at: date) {
        case .personal: return []
        case .licensed(let until):
            let end = until.map { "valid until \(DateText.minute($0)) UTC" } ?? "without an end date"
            return ["The app itself is a volume purchase, \(end)\(environment)."]
        case .ended(let end):
            return ["The app itself was a volume purchase, which ended at \(DateText.minute(end)) UTC\(environment)."]
        }
    }

    /// Returns the reason for each product's state, and the next step.
    ///
    /// - Parameter nextStep: What to do. Default: the entitlement's next step.
    func reasons(
        _ entitlements: [Entitlement], nextStep: (Entitlement) -> String? = { $0.nextStep }
    ) -> [String] {
        guard !entitlements.isEmpty else { return [] }
        return ["", terminal.styled("Why", as: .bold)]
            + entitlements.flatMap { entitlement in
                let transaction =
                    isOneOfSeveral(entitlement) ? entitlement.transactionIdentifier.map { " (\($0))" } : nil
                let product = Terminal.escaped(Terminal.truncated(entitlement.productIdentifier + (transaction ?? "")))
                return ["  \(product): \(Terminal.escaped(entitlement.reason))"]
                    + (nextStep(entitlement).map { ["    \($0)"] } ?? []) + details(entitlement)
            }
    }

    /// Returns the commitment and the items, which have no place in the line of the product.
    private func details(_ entitlement: Entitlement) -> [String] {
        let commitment = entitlement.commitment
        let facts = [
            commitment?.period.map { "period \($0)" }, commitment?.periods.map { "\($0) periods in all" },
            commitment?.until.map { "until \(DateText.minute($0))" },
        ].compactMap { $0 }
        let items = (entitlement.items ?? []).map { item in
            Terminal.escaped(Terminal.truncated(item.sku)) + (item.isActive ? "" : " (revoked)")
        }
        return [("Commitment", facts), ("Items", items)].filter { !$0.1.isEmpty }
            .map { "    \($0.0): \($0.1.joined(separator: ", "))" }
    }

    /// Returns whether the product may have several entitlements, one for each transaction. They are neither active nor
    /// inactive: the app decides.
    private func isOneOfSeveral(_ entitlement: Entitlement) -> Bool {
        entitlement.kind == .consumable || entitlement.kind == .nonRenewing
    }

    private func row(_ entitlement: Entitlement) -> [String] {
        var dates = entitlement.since.map { "since \(DateText.minute($0))" } ?? ""
        if let until = entitlement.until { dates += "\(dates.isEmpty ? "" : ", ")until \(DateText.minute(until))" }
        let count = entitlement.quantity > 1 ? " ×\(entitlement.quantity)" : ""
        let renews = renewal(of: entitlement)
        let kind = isOneOfSeveral(entitlement) ? " (\(entitlement.kind.rawValue))" : ""
        return [
            entitlement.productIdentifier + count, entitlement.state.rawValue + kind, dates, renews,
            entitlement.environment.rawValue, "as of \(DateText.minute(entitlement.asOf))",
        ]
    }

    private func renewal(of entitlement: Entitlement) -> String {
        switch (entitlement.willRenew, entitlement.renewsAs) {
        case (true, _): "renews"
        case (_, let product?): "renews as \(product)"
        // Newer renewal information is missing.
        case (false, nil) where entitlement.state == .renewalUnknown: "renewal was off"
        case (false, nil): "won't renew"
        case (nil, nil): ""
        }
    }
}

extension Entitlement {
    /// Returns whether the entitlement is for a product, compared byte by byte.
    func isFor(product identifier: String) -> Bool { ExactString(productIdentifier) == ExactString(identifier) }
}
