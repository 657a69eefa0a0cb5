#if Server
import Hummingbird
import Tracing

/// Rejects requests of other sites, turns errors into responses, and counts and logs every request.
///
/// One middleware, because each takes half a microsecond of every request.
///
/// Malformed HTTP doesn't get here. Hummingbird answers it with 400 and closes the connection.
@available(AppReceiptServer 1.0, *)
struct RequestMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let observer: RequestObserver
    var tracing = ServerTracing()
    let crossOriginProtection: CrossOriginProtection
    let errors: ErrorResponses

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var context = context
        let span = tracing.startRequest(request.headers, logger: &context.logger)
        defer { span?.end() }
        var response: Response
        do {
            try crossOriginProtection.check(request)
            // The router ignores empty components, so the next one would be the account.
            guard !request.uri.path.hasPrefix("/v1/accounts//") else { throw APIError.accountMalformed(in: .path) }
            if let span {
                response = try await ServiceContext.$current.withValue(span.context) { [context] in
                    try await next(request, context)
                }
            } else {
                response = try await next(request, context)
            }
        } catch let error as CancellationError {
            span?.fail(ofType: "canceled")
            throw error
        } catch {
            response = errors.response(to: error, path: request.uri.path, logger: context.logger)
            errors.log(error, route: context.endpointPath ?? "none", logger: context.logger)
        }
        let method = observer.complete(&response, to: request, in: context, since: start)
        span?.complete(method: method, path: context.endpointPath, status: response.status.code)
        return response
    }
}
#endif
