#if Server
/// The limits of a server. What exceeds a limit is rejected; nothing is queued without bound.
@available(AppReceiptServer 1.0, *)
public struct ServerLimits: Sendable, Hashable {
    /// The maximum size of a request's body, in bytes. 4 MB of base64 contain a receipt of about 8,000 purchases.
    public var maxBodyBytes = 4 << 20
    /// The maximum memory in bytes for the bodies of all requests in progress, and for long responses until they are
    /// sent.
    ///
    /// Verification needs about ten times as much in addition, so only a few large bodies are verified at the same
    /// time.
    public var maxTotalBodyBytes = 256 << 20
    /// The maximum size of a request's head, in bytes.
    public var maxHeaderBytes = 16 << 10
    /// The maximum number of connections that are served. A request on another connection gets 503.
    public var maxConnections = 1024
    /// The maximum number of requests that are verified or wait for a processor. Another request gets 503.
    public var maxRequests = 256
    /// The maximum number of requests that wait for an event: a quarter of the connections, because each has one.
    /// A token gets at most half of them. Another request gets 503.
    public var maxWaitingRequests: Int { max(maxConnections / 4, 1) }
    /// The maximum number of requests that ask the App Store about an order or another identifier that the server
    /// doesn't know: at most half of ``maxRequests``. Another such request gets 503.
    public var maxLookups: Int { max(min(maxRequests / 2, 8), 1) }

    /// The time in which a client must send the head of its first request, or of the next one after a response.
    public var headTimeout = Duration.seconds(30)
    /// The time from the head of a request in which the client must send its body.
    public var bodyTimeout = Duration.seconds(15)
    /// The time from the end of a request in which its response must be sent and received.
    public var responseTimeout = Duration.seconds(30)
    /// The time for which a request may wait for a processor, at most ``responseTimeout``. Then it gets 503 and isn't
    /// verified.
    public var queueTimeout = Duration.seconds(5)
    /// The time that requests in flight have when the server shuts down.
    public var shutdownTimeout = Duration.seconds(20)
    /// The value of `Retry-After` in responses with 503. Fractions of a second are ignored.
    public var retryAfter = Duration.seconds(1)

    /// Creates the default limits.
    public init() {}
}
#endif
