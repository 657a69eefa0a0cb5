import AppReceiptSupport

/// An error of the App Store Server API.
struct FakeServerError: Error, Hashable {
    let code: Int64
    let message: String

    /// Creates an error, with the message of its code by default.
    init(_ code: Int64, _ message: String? = nil) {
        self.code = code
        self.message = message ?? Self.messages[code] ?? "An error occurred."
    }

    /// The HTTP status: the first three digits of a code with seven digits.
    var status: Int { (100...599).contains(code / 10_000) ? Int(code / 10_000) : 500 }

    /// The response's body.
    var body: JSONObject { ["errorCode": .number(JSONNumber(code)), "errorMessage": .string(message)] }
}
