import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One transaction.
@available(AppStoreServerAPI 1.0, *)
struct StoreTransactionResult: StoreResult {
    let transaction: VerifiedTransaction
    private let environment: ReceiptEnvironment.Base
    private let entitlements: [Entitlement]

    init(_ transaction: VerifiedTransaction, bundleIdentifier: String, at date: Date) {
        self.transaction = transaction
        // The client verified that the transaction is from the environment that was asked.
        environment = transaction.environment ?? .production
        entitlements =
            Entitlements(
                bundleIdentifier: bundleIdentifier, environment: environment, transactions: [transaction],
                at: max(date, transaction.signedDate)
            ).all
    }

    var signedDates: [Date] { [transaction.signedDate] }

    var json: JSONValue {
        [
            "products": .array(entitlements.map(\.json)), "transaction": .object(transaction.claims.members),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        let owned = EntitlementText(terminal: .output)
        let text = ReceiptText(terminal: .output, now: Date())
        return owned.products(entitlements)
            + [SignedDataSummary(.transaction(transaction)).event] + owned.reasons(entitlements) + [""]
            + SignedDataText.members(text, transaction.claims.members, "Transaction, \(environment.rawValue)")
    }
}
