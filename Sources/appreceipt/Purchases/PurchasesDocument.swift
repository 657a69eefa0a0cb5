import AppReceiptKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The JSON that `purchases` writes.
struct PurchasesDocument: Encodable {
    let at: String
    let products: [Entitlement]
    let rejected: [PurchaseEvidence.Rejection]

    init(at date: Date, products: [Entitlement], rejected: [PurchaseEvidence.Rejection]) {
        at = ReceiptDate.string(from: date)
        self.products = products
        self.rejected = rejected
    }
}
