#if Server
import Hummingbird
import Tracing

/// Traces, counts and logs every request.
///
/// Malformed HTTP doesn't get here. Hummingbird answers it with 400 and closes the connection.
@available(AppReceiptServer 1.0, *)
struct RequestObservation: RouterMiddleware {
    typealias Context = ServerContext

    let observer: RequestObserver
    var tracing = ServerTracing()

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        let span = tracing.startRequest(request.headers, logger: &context.logger)
        defer { span?.end() }
        var response: Response
        do {
            if let span {
                response = try await ServiceContext.$current.withValue(span.context) { [context] in
                    try await next(request, context)
                }
            } else {
                response = try await next(request, context)
            }
        } catch {
            // A cancellation: `ErrorMiddleware` turns all other errors into responses.
            span?.fail(ofType: "canceled")
            throw error
        }
        let method = observer.complete(&response, to: request, in: context, since: start)
        span?.complete(method: method, path: context.endpointPath, status: response.status.code)
        return response
    }
}
#endif
