import AppReceiptKit
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Signed transactions as text: one line for each, in their order.
struct TransactionText {
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
