#if Server
import HTTPTypes

/// The response to a request that exceeds a limit: 503 with `Retry-After`.
///
/// Not a response of Hummingbird, because connections beyond the limit don't reach it.
struct OverloadResponse: Sendable {
    let headers: HTTPFields
    let body: [UInt8]

    /// - Parameters:
    ///   - body: The body, as JSON.
    ///   - retryAfter: When the client may retry.
    @available(AppReceiptServer 1.0, *)
    init(body: [UInt8], retryAfter: Duration) {
        self.body = body
        var headers = HTTPFields()
        headers[.retryAfter] = String(retryAfter.components.seconds)
        headers[.contentType] = "application/json"
        headers[.contentLength] = String(body.count)
        SecurityHeaders.add(to: &headers)
        self.headers = headers
    }
}
#endif
