import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Entitlements as text: one line for each product, then the reasons and next steps.
struct EntitlementText {
    let terminal: Terminal

    /// One line for each product: identifier, state, dates, renewal, environment.
    ///
    /// - Parameter requested: Products that have a line even if the customer never bought them.
    func products(_ entitlements: [Entitlement], requested: [String] = []) -> [String] {
        let missing = requested.filter { product in !entitlements.contains { $0.productIdentifier == product } }
        guard !entitlements.isEmpty || !missing.isEmpty else { return ["No purchases."] }
        var table = Table(["", "", "", "", ""])
        for entitlement in entitlements { table.add(row(entitlement)) }
        for product in missing { table.add([product, "no evidence", "", "", ""]) }
        // The first lines of the output aren't indented, so that scripts can read them.
        return table.lines(terminal).map { String($0.dropFirst(2)) }
    }

    /// Why each product has its state, and what to do.
    func reasons(_ entitlements: [Entitlement]) -> [String] {
        guard !entitlements.isEmpty else { return [] }
        return ["", terminal.styled("Why", .bold)]
            + entitlements.flatMap { entitlement in
                let transaction =
                    isOneOfSeveral(entitlement) ? entitlement.transactionIdentifier.map { " (\($0))" } : nil
                let product = Terminal.escaped(Terminal.truncated(entitlement.productIdentifier + (transaction ?? "")))
                return ["  \(product): \(Terminal.escaped(entitlement.reason))"]
                    + (entitlement.nextStep.map { ["    \($0)"] } ?? [])
            }
    }

    /// Whether the product may have several entitlements, one for each transaction. They are neither active nor inactive: the app decides.
    private func isOneOfSeveral(_ entitlement: Entitlement) -> Bool {
        entitlement.kind == .consumable || entitlement.kind == .nonRenewing
    }

    private func row(_ entitlement: Entitlement) -> [String] {
        var dates = entitlement.since.map { "since \(minute($0))" } ?? ""
        if let until = entitlement.until { dates += "\(dates.isEmpty ? "" : ", ")until \(minute(until))" }
        let count = entitlement.quantity > 1 ? " ×\(entitlement.quantity)" : ""
        let renews = entitlement.willRenew.map { $0 ? "renews" : "won't renew" } ?? ""
        let kind = isOneOfSeveral(entitlement) ? " (\(entitlement.kind.rawValue))" : ""
        return [
            entitlement.productIdentifier + count, entitlement.state.rawValue + kind, dates, renews,
            entitlement.environment.rawValue,
        ]
    }

    /// The inputs that weren't used.
    func rejected(_ rejections: [PurchaseEvidence.Rejection]) -> [String] {
        guard !rejections.isEmpty else { return [] }
        return ["", terminal.styled("Rejected", .bad, .bold)]
            + rejections.map { rejection in
                "  \(Terminal.escaped(rejection.input)): \(rejection.code): \(Terminal.escaped(Terminal.truncated(rejection.message, to: 400)))"
            }
    }

    /// 2024-07-02 15:04 UTC
    private func minute(_ date: Date) -> String {
        let text = ReceiptDate.string(from: date)
        return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
    }
}
