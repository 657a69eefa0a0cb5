#if Server
import HTTPTypes
import Hummingbird
import Logging

/// Counts and logs every request, and adds the headers that all responses have.
@available(AppReceiptServer 1.0, *)
struct RequestObserver: Sendable {
    let metrics: ServerMetrics

    /// Completes a response, and counts and logs its request.
    ///
    /// - Returns: The method of the request; nil for one that isn't known.
    @discardableResult
    func complete(
        _ response: inout Response, to request: Request, in context: some RequestContext,
        since start: ContinuousClock.Instant
    ) -> String? {
        SecurityHeaders.add(to: &response.headers)
        if let identifier = Self.identifier(in: context.logger) {
            // Appended, because no route sets it.
            response.headers.append(HTTPField(name: .requestID, value: identifier))
        }
        // The HTTP parser accepts dozens of methods, and each would become a label.
        let method = Self.methods.contains(request.method) ? request.method.rawValue : nil
        observe(method ?? "other", status: response.status, in: context, duration: ContinuousClock.now - start)
        return method
    }

    private func observe(
        _ method: String, status: HTTPResponse.Status, in context: some RequestContext, duration: Duration
    ) {
        let route = context.endpointPath ?? "none"
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        metrics.countRequest(route: route, method: method, status: status.code, nanoseconds: nanoseconds)
        context.logger.debug(
            "Request",
            metadata: [
                "route": "\(route)", "method": "\(method)", "status": .stringConvertible(status.code),
                "microseconds": .stringConvertible(nanoseconds / 1000),
            ])
    }

    /// Returns the request's identifier. Not `context.id`, which traps if the logger has none.
    private static func identifier(in logger: Logger) -> String? {
        switch logger[metadataKey: "hb.request.id"] {
        case .stringConvertible(let identifier): identifier.description
        case .string(let identifier): identifier
        default: nil
        }
    }

    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect,
    ]
}
#endif
