package import AppReceiptSupport

extension JSONObject {
    /// The bundle identifier in the payload of a token, or in the subject of a notification. Unverified.
    package var claimedBundleIdentifier: String? {
        let subjects = ["data", "summary", "externalPurchaseToken", "appData", "unclaimInfo"].compactMap {
            self[$0]?.object
        }
        if let subject = subjects.first { return subject["bundleId"]?.string }
        // A notification about something new names the app in a member that isn't known yet.
        return self["bundleId"]?.string ?? members.lazy.compactMap { $0.value.object?["bundleId"]?.string }.first
    }
}
