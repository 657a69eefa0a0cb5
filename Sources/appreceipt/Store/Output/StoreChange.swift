/// What a command changes at the App Store, for a failure after which it may have been changed.
struct StoreChange {
    /// Says that the request may have been carried out, and what to do.
    let warning: String
    /// The identifier with which the request can be repeated.
    var requestIdentifier: String?

    static let consumption = StoreChange(
        warning: "The App Store may have received the consumption information. It is safe to repeat the command.")

    static let testNotification = StoreChange(
        warning:
            "The test notification may have been requested. See whether your server receives it before you request another one."
    )

    static func renewalExtensions(requestIdentifier: String) -> StoreChange {
        StoreChange(
            warning:
                "The App Store may be extending the subscriptions. Repeat the command with --request-id \(requestIdentifier)",
            requestIdentifier: requestIdentifier)
    }

    static func renewalExtension(requestIdentifier: String) -> StoreChange {
        StoreChange(
            warning:
                "The subscription may have been extended. Repeat the command with --request-id \(requestIdentifier)",
            requestIdentifier: requestIdentifier)
    }
}
