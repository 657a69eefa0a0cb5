/// The reason for which a transport received no complete response.
@available(AppStoreServerAPI 1.0, *)
public enum AppStoreServerTransportError: Error, Sendable, Hashable {
    /// The server can't be reached, or the connection ended before the response was complete. Names the cause, without secrets.
    case connectionFailed(String)
    /// The response wasn't complete in time.
    case timedOut
    /// The response is larger than the request allows.
    case responseTooLarge
}
