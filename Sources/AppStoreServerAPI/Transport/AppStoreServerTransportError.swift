/// The reason for which a transport received no complete response.
@available(AppStoreServerAPI 1.0, *)
public enum AppStoreServerTransportError: Error, Sendable, Hashable {
    /// The host's name can't be resolved.
    case hostNotFound
    /// The host refused the connection.
    case connectionRefused
    /// The connection was closed before the response was complete.
    case connectionClosed
    /// The server couldn't be authenticated, so nothing was sent. Names the cause, as a clause without a period.
    case secureConnectionFailed(String)
    /// The server can't be reached for another reason. Names the cause, without secrets.
    case connectionFailed(String)
    /// The response wasn't complete in time.
    case timedOut
    /// The response is larger than the request allows.
    case responseTooLarge
}
