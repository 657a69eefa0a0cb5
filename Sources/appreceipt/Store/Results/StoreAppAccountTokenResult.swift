import AppReceiptKit
import AppReceiptSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// An account token that the App Store accepted.
@available(AppStoreServerAPI 1.0, *)
struct StoreAppAccountTokenResult: StoreResult {
    let originalTransactionIdentifier: String
    let token: UUID
    let environment: ReceiptEnvironment.Base

    var json: JSONValue {
        [
            "accepted": true, "originalTransactionId": .string(originalTransactionIdentifier),
            "appAccountToken": .string(token.uuidString.lowercased()), "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] { ["The App Store bound the purchase to the account in \(environment.rawValue)."] }
}
