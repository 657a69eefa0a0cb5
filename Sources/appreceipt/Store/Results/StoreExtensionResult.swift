import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The extension of a subscription.
@available(AppStoreServerAPI 1.0, *)
struct StoreExtensionResult: StoreResult {
    let response: AppStoreServerClient.UnsignedResponse<AppStoreServerClient.RenewalExtension>
    let requestIdentifier: String

    private var result: AppStoreServerClient.RenewalExtension { response.unverified }

    var isSuccess: Bool { result.isSuccessful }

    var json: JSONValue {
        [
            "unverified": [
                "originalTransactionId": .text(result.originalTransactionIdentifier),
                "webOrderLineItemId": .text(result.webOrderLineItemIdentifier),
                "success": .boolean(result.isSuccessful),
                "effectiveDate": result.effectiveDate.map {
                    .number(JSONNumber(Int64($0.timeIntervalSince1970 * 1000)))
                }
                    ?? .null,
            ],
            "requestIdentifier": .string(requestIdentifier), "environment": .string(response.environment.rawValue),
        ]
    }

    var lines: [String] {
        let date = result.effectiveDate.map { " It renews on \(ReceiptDate.string(from: $0))." } ?? ""
        return [
            result.isSuccessful
                ? "The App Store's answer says that the subscription was extended in \(response.environment.rawValue).\(date)"
                : "The App Store's answer says that the subscription wasn't extended in \(response.environment.rawValue)."
        ]
    }

    var notes: [String] {
        [
            "Apple doesn't sign this answer. 'appreceipt store history' shows the new date, signed.",
            "Request identifier: \(requestIdentifier)",
        ]
    }
}
