#if Server
/// A limit of the server is reached. The client gets 503 and may retry later: see ``OverloadResponse``.
struct OverloadError: Error, Hashable {
    /// The limit. The raw values are labels of a metric.
    enum Reason: String, CaseIterable, Sendable {
        /// The number of open connections.
        case connections
        /// The number of requests in progress, or the time that one may wait for a processor.
        case requests
        /// The memory of bodies and long responses.
        case memory
        /// The number of writes that wait for the database.
        case database
    }

    let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
}
#endif
