#if Server
/// How much a server takes upon itself. What goes beyond is refused at once and never queued without end.
public struct ServerLimits: Sendable, Hashable {
    /// The largest body of a request, in bytes. 4 MB of base64 hold a receipt of some 8,000 purchases.
    public var bodyBytes = 4 << 20
    /// What all bodies that are being received or judged, and long answers until they have left, may take together, in
    /// bytes. What is made of a body while it is judged comes on top, some ten times as much; of large bodies a few are
    /// judged at a time.
    public var allBodiesBytes = 256 << 20
    /// The largest head of a request, in bytes.
    public var headerBytes = 16 << 10
    /// Connections that are served; a request on one more gets 503.
    public var connections = 1024
    /// Requests that are judged at the same time, waiting for a processor included; one more gets 503.
    public var requests = 256

    /// Seconds that a connection may be open without a whole request head.
    public var idleSeconds = 30
    /// Seconds from a request's head to its end.
    public var bodySeconds = 15
    /// Seconds from a request's end until its answer has left.
    public var answerSeconds = 30
    /// Seconds that a request may wait for a processor; then it gets 503 and is not judged. No longer than
    /// ``answerSeconds`` in any case.
    public var waitSeconds = 5
    /// Seconds that requests in flight have when the server stops.
    public var shutdownSeconds = 20
    /// What `Retry-After` says to clients that are refused, in seconds.
    public var retryAfterSeconds = 1

    /// The defaults.
    public init() {}
}
#endif
