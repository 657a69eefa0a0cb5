#if Server
import HTTPTypes
import VerifyReceipt

/// The response to a request that exceeds a limit: 503 with `Retry-After`, and on verifyReceipt a status that Apple's clients know.
@available(AppReceiptServer 1.0, *)
struct OverloadResponse: Sendable {
    let headers: HTTPFields
    let body: [UInt8]

    init(path: String, retryAfter: Duration) {
        body =
            VerifyReceiptRoutes.isRoute(path)
            ? VerifyReceiptResponse(status: .unavailable).body
            : APIError(.serviceUnavailable, .overloaded, "The server is overloaded. Retry later.").json.text()
        var headers = HTTPFields()
        headers[.retryAfter] = String(retryAfter.components.seconds)
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.count)
        SecurityHeaders.add(to: &headers)
        self.headers = headers
    }
}
#endif
