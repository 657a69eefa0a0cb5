#if Server
/// A limit of the server is reached. The client gets 503 and may retry later.
struct OverloadError: Error, Hashable {
    /// A limited resource. The raw values are labels of a metric.
    enum Resource: String, CaseIterable, Sendable {
        /// Open connections.
        case connections
        /// Requests in progress, and the time that one may wait for a processor.
        case requests
        /// Requests that wait for an event.
        case waiting
        /// Requests that ask the App Store about something that the server doesn't know.
        case lookups
        /// Bytes of bodies and long responses.
        case memory
        /// Writes that wait for the database.
        case database

        /// The message for the client.
        var message: String {
            switch self {
            case .waiting: "Too many requests wait for events. Retry later, or without 'wait'."
            case .lookups: "Too many requests wait for the App Store. Retry later."
            default: "The server is overloaded. Retry later."
            }
        }
    }

    let resource: Resource

    init(_ resource: Resource) { self.resource = resource }
}
#endif
