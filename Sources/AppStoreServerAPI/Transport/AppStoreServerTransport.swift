/// Sends requests to the App Store's server.
///
/// The client decides what to send, when to repeat it, and what the response means. A transport only carries bytes, so a test can
/// replace it with a function.
@available(AppStoreServerAPI 1.0, *)
public protocol AppStoreServerTransport: Sendable {
    /// Sends a request and returns its response, whatever the status.
    ///
    /// A transport follows no redirects, because the authorization is for the request's host only. It stops reading at
    /// ``AppStoreServerHTTPRequest/maxResponseBytes``.
    ///
    /// - Parameter request: The request.
    /// - Returns: The complete response.
    /// - Throws: ``AppStoreServerTransportError`` if no complete response was received, or `CancellationError`.
    func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse
}
