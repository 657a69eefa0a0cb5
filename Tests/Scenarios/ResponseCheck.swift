import AppReceiptKit
package import AppReceiptSupport
package import Foundation

/// The cancellations in a verifyReceipt answer.
package struct ResponseCheck {
    private let inApp: [AppStoreJSON.Object]
    private let latest: [AppStoreJSON.Object]
    private let excludesOldTransactions: Bool

    package init(_ answer: AppStoreJSON, excludesOldTransactions: Bool) {
        let object = answer.object
        inApp = (object?["receipt"]?.object?["in_app"]?.array ?? []).compactMap(\.object)
        latest = (object?["latest_receipt_info"]?.array ?? []).compactMap(\.object)
        self.excludesOldTransactions = excludesOldTransactions
    }

    /// Returns a description of each difference between these cancellations and `in_app` and `latest_receipt_info`.
    package func differences(from cancellations: [String: Date]) -> [String] {
        var differences: [String] = []
        for transaction in inApp + latest {
            let identifier = transaction["transaction_id"]?.string ?? ""
            let expected = cancellations[identifier].map { String(Int64($0.timeIntervalSince1970 * 1000)) }
            let found = transaction["cancellation_date_ms"]?.string
            if found != expected {
                differences.append("\(identifier): \(found ?? "no cancellation"), not \(expected ?? "none")")
            }
            for name in ["cancellation_date", "cancellation_date_pst"]
            where (transaction[name] == nil) != (expected == nil) {
                differences.append("\(identifier): \(name)")
            }
        }
        let listed = Set(latest.compactMap { $0["transaction_id"]?.string })
        for transaction in inApp {
            let identifier = transaction["transaction_id"]?.string ?? ""
            // The filter removes old periods but no one-time purchases.
            let mayBeMissing = excludesOldTransactions && transaction["expires_date"] != nil
            if cancellations[identifier] != nil, !mayBeMissing, !listed.contains(identifier) {
                differences.append("\(identifier): not in latest_receipt_info")
            }
        }
        return differences
    }
}

extension [AppStoreJSON] {
    /// The entitlements in a JSON document, by product or transaction.
    package var byName: [String: Scenario.Expected] {
        var expected: [String: Scenario.Expected] = [:]
        for product in compactMap(\.object) {
            guard let state = product["state"]?.string.flatMap({ Entitlement.State(rawValue: $0) }) else { continue }
            let isSingle = ["consumable", "nonRenewing"].contains(product["kind"]?.string)
            let name = product[isSingle ? "transactionIdentifier" : "productIdentifier"]?.string ?? ""
            let environment = product["environment"]?.string ?? ""
            expected[(environment == "sandbox" ? "" : "\(environment)/") + name] = Scenario.Expected(
                state: state, until: product["until"]?.string.flatMap { ReceiptDate.date(from: $0) })
        }
        return expected
    }
}
