package import AppReceiptSupport

extension JSONObject {
    /// The bundle identifier in the payload of a token, or in the subject of a notification. Unverified.
    package var claimedBundleIdentifier: String? {
        let subjects = ["data", "summary", "externalPurchaseToken", "appData"].compactMap { self[$0]?.object }
        return (subjects.first ?? self)["bundleId"]?.string
    }
}
