import AppReceiptKit
import AppReceiptSupport

/// Consumption information that the App Store accepted.
@available(AppStoreServerAPI 1.0, *)
struct StoreConsumptionResult: StoreResult {
    let transactionIdentifier: String
    let environment: ReceiptEnvironment.Base

    var json: JSONValue {
        [
            "accepted": true, "transactionId": .string(transactionIdentifier),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] { ["The App Store accepted the consumption information in \(environment.rawValue)."] }
}
