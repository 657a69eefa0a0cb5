/// What a command changes at the App Store, for a failure after which it may have been changed.
struct StoreChange {
    /// Says that the request may have been carried out, and what to do unless that is the remedy.
    let warning: String
    /// What to do if the request may have been carried out; nil for the remedy of the failure.
    var remedy: String?
    /// The identifier with which the request can be repeated.
    var requestIdentifier: String?

    static let consumption = StoreChange(
        warning: "The App Store may have received the consumption information. It is safe to repeat the command.")

    static let appAccountToken = StoreChange(
        warning: "The App Store may have received the account token. It is safe to repeat the command.")

    static let testNotification = StoreChange(
        warning:
            "The test notification may have been requested.",
        remedy: "See whether your server receives it before you request another one."
    )

    static func renewalExtensions(ofProduct product: String, requestIdentifier: String) -> StoreChange {
        StoreChange(
            warning:
                "The App Store may be extending the subscriptions. See whether it does with 'appreceipt store extend-status --product \(product) --request-id \(requestIdentifier)' before you repeat the command.",
            requestIdentifier: requestIdentifier)
    }

    static func renewalExtension(requestIdentifier: String) -> StoreChange {
        StoreChange(
            warning:
                "The subscription may have been extended. Repeat the command with --request-id \(requestIdentifier)",
            requestIdentifier: requestIdentifier)
    }
}
