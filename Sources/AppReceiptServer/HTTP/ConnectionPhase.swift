#if Server
/// A part of an exchange that the client must complete before a deadline. The raw values are labels of a metric.
enum ConnectionPhase: String, CaseIterable, Sendable {
    /// Sending the head of a request.
    case head
    /// Sending the body of a request.
    case body
    /// Receiving a response.
    case response = "answer"
}
#endif
