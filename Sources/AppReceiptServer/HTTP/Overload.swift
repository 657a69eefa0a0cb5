#if Server
import HTTPTypes
import VerifyReceipt

/// What a client gets that came when there was too much to do: 503, when to come again, and on verifyReceipt the status that
/// Apple's clients know.
struct Overload: Sendable {
    let headers: HTTPFields
    let body: [UInt8]

    init(path: String, limits: ServerLimits) {
        // The router overlooks slashes at the end.
        let isVerifyReceipt = path.prefix { $0 != "?" }.split(separator: "/").last == "verifyReceipt"
        body =
            isVerifyReceipt
            ? VerifyReceiptResponse(status: .unavailable).body
            : APIError(.serviceUnavailable, "overloaded", "The server has too much to do. Try again.").json.text()
        var headers = HTTPFields()
        headers[.retryAfter] = String(limits.retryAfterSeconds)
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.count)
        headers[.cacheControl] = "no-store"
        headers[.xContentTypeOptions] = "nosniff"
        headers[.contentSecurityPolicy] = SecurityHeaders.noPage
        self.headers = headers
    }
}
#endif
