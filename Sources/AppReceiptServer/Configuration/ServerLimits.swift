#if Server
/// The limits of a server. What exceeds a limit is rejected; nothing is queued without bound.
public struct ServerLimits: Sendable, Hashable {
    /// The maximum size of a request's body, in bytes. 4 MB of base64 contain a receipt of about 8,000 purchases.
    public var bodyBytes = 4 << 20
    /// The maximum memory in bytes for the bodies of all requests in progress, and for long responses until they are sent.
    ///
    /// Verification needs about ten times as much in addition, so only a few large bodies are verified at the same time.
    public var allBodiesBytes = 256 << 20
    /// The maximum size of a request's head, in bytes.
    public var headerBytes = 16 << 10
    /// The maximum number of connections that are served. A request on another connection gets 503.
    public var connections = 1024
    /// The maximum number of requests that are verified or wait for a processor. Another request gets 503.
    public var requests = 256

    /// The seconds in which a client must send the head of its first request, or of the next one after a response.
    public var idleSeconds = 30
    /// The seconds from the head of a request in which the client must send its body.
    public var bodySeconds = 15
    /// The seconds from the end of a request in which its response must be sent and received.
    public var answerSeconds = 30
    /// The seconds for which a request may wait for a processor, at most ``answerSeconds``. Then it gets 503 and isn't verified.
    public var waitSeconds = 5
    /// The seconds that requests in flight have when the server shuts down.
    public var shutdownSeconds = 20
    /// The value of `Retry-After` in responses with 503, in seconds.
    public var retryAfterSeconds = 1

    /// Creates the default limits.
    public init() {}
}
#endif
