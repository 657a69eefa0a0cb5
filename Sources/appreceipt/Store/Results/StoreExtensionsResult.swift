import AppReceiptKit
import AppReceiptSupport
import AppStoreServerAPI

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The extension of the subscriptions of all active subscribers, requested or in progress.
@available(AppStoreServerAPI 1.0, *)
struct StoreExtensionsResult: StoreResult {
    let requestIdentifier: String
    let environment: ReceiptEnvironment.Base
    /// The progress; nil if the extension was requested only.
    let status: AppStoreServerClient.ExtensionStatus?

    var json: JSONValue {
        var unverified: JSONObject = ["requestIdentifier": .string(requestIdentifier)]
        if let status {
            unverified["complete"] = .boolean(status.isComplete)
            unverified["completeDate"] =
                status.completionDate.map { .number(JSONNumber(Int64($0.timeIntervalSince1970 * 1000))) } ?? .null
            unverified["succeededCount"] = status.succeededCount.map { .number(JSONNumber($0)) } ?? .null
            unverified["failedCount"] = status.failedCount.map { .number(JSONNumber($0)) } ?? .null
        }
        return [
            "unverified": .object(unverified), "requestIdentifier": .string(requestIdentifier),
            "environment": .string(environment.rawValue),
        ]
    }

    var lines: [String] {
        guard let status else {
            return ["The App Store's answer says that it extends the subscriptions in \(environment.rawValue)."]
        }
        guard status.isComplete else {
            return ["The App Store's answer says that it is still extending subscriptions in \(environment.rawValue)."]
        }
        let date = status.completionDate.map { " at \(ReceiptDate.string(from: $0))" } ?? ""
        let counts = [(status.succeededCount, "extended"), (status.failedCount, "not extended")]
            .compactMap { count, name in count.map { "\($0) \(name)" } }.joined(separator: ", ")
        return [
            "The App Store's answer says that it finished\(date) in \(environment.rawValue)\(counts.isEmpty ? "" : ": \(counts)")."
        ]
    }

    var notes: [String] { ["Apple doesn't sign this answer.", "Request identifier: \(requestIdentifier)"] }
}
