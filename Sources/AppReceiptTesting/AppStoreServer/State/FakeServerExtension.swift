import AppReceiptSupport

/// An extension of a subscription's renewal date.
struct FakeServerExtension {
    let requestIdentifier: String
    /// When it was requested, in milliseconds.
    let time: Int64
    /// The response, which a repeated request gets too.
    let response: JSONObject
}
