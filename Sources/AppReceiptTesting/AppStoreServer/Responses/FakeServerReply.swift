package import AppStoreServerAPI

/// A response, and how it is delivered.
@available(AppStoreServerAPI 1.0, *)
package struct FakeServerReply: Sendable {
    /// The response.
    package var response: AppStoreServerHTTPResponse
    /// The time before the response begins.
    package var delay: Duration = .zero
    /// The pause after each byte of the body; nil to send the body at once.
    package var drip: Duration?
    /// Where the connection is cut; nil if it isn't.
    package var cut: Cut?

    /// The reason for 401; nil if the request is authorized.
    package var authorizationFailure: FakeAppStoreServer.AuthorizationFailure?

    /// Where a connection is cut.
    package enum Cut: Sendable {
        case beforeResponse
        case midway
    }
}
