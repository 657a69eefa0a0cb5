#if Server
import Hummingbird

/// Answers the preflight requests of pages that may use a shared path, and lets them read the responses, errors too.
@available(AppReceiptServer 1.0, *)
struct CrossOriginHeaders: RouterMiddleware {
    typealias Context = ServerContext

    let sharing: CrossOriginSharing

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let isAllowed = sharing.allowedOrigin(of: request) != nil
        var response: Response
        if isAllowed, let preflight = sharing.preflightResponse(to: request) {
            response = preflight
        } else {
            response = try await next(request, context)
        }
        sharing.mark(&response, to: request)
        return response
    }
}
#endif
