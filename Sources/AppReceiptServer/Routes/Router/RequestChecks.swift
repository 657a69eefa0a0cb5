#if Server
import Hummingbird

/// Rejects requests of other sites, and paths in which the router would find an account that they don't name.
@available(AppReceiptServer 1.0, *)
struct RequestChecks: RouterMiddleware {
    typealias Context = ServerContext

    let crossOriginProtection: CrossOriginProtection

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        try crossOriginProtection.check(request)
        // The router ignores empty components, so the next one would be the account.
        guard !request.uri.path.contains("/accounts//") else { throw APIError.accountMalformed(in: .path) }
        return try await next(request, context)
    }
}
#endif
