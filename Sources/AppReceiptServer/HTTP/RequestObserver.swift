#if Server
import HTTPTypes
import Hummingbird
import Logging

/// The outermost middleware: turns errors into responses, adds security headers, and counts and logs every request.
///
/// Malformed HTTP doesn't get here. Hummingbird answers it with 400 and closes the connection.
@available(AppReceiptServer 1.0, *)
struct RequestObserver: RouterMiddleware {
    typealias Context = ServerContext

    let metrics: ServerMetrics
    let limits: ServerLimits

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch let error as CancellationError {
            throw error
        } catch {
            response = Response(error: error, path: request.uri.path, limits: limits, logger: context.logger)
        }
        SecurityHeaders.add(to: &response.headers)
        if let identifier = Self.identifier(in: context.logger) {
            response.headers.append(HTTPField(name: .requestID, value: identifier))
        }
        observe(request, response, context, duration: ContinuousClock.now - start)
        return response
    }

    private func observe(_ request: Request, _ response: Response, _ context: Context, duration: Duration) {
        let route = context.endpointPath ?? "none"
        // Clients can invent methods, and each would become a label.
        let method = Self.methods.contains(request.method) ? request.method.rawValue : "other"
        let (seconds, attoseconds) = duration.components
        let nanoseconds = seconds * 1_000_000_000 + attoseconds / 1_000_000_000
        metrics.request(route: route, method: method, status: response.status.code, nanoseconds: nanoseconds)
        context.logger.debug(
            "Request",
            metadata: [
                "route": "\(route)", "method": "\(method)", "status": "\(response.status.code)",
                "microseconds": "\(nanoseconds / 1000)",
            ])
    }

    /// The request's identifier. Not `context.id`, which traps if the logger has none.
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
