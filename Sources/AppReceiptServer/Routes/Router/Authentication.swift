#if Server
import HTTPTypes
import Hummingbird
import VerifyReceipt

/// Rejects requests without the server's bearer token, before their bodies are read.
@available(AppReceiptServer 1.0, *)
struct Authentication: RouterMiddleware {
    typealias Context = ServerContext

    let token: SharedSecret

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        try check(request)
        return try await next(request, context)
    }

    /// Checks that a request has the token.
    func check(_ request: Request) throws(APIError) {
        guard accepts(request) else {
            var error = APIError(
                .unauthorized, .unauthorized, "Send the server's token as 'Authorization: Bearer …'.")
            error.headers[.wwwAuthenticate] = "Bearer"
            throw error
        }
    }

    /// Whether a request has the token.
    func accepts(_ request: Request) -> Bool {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        // Compared in constant time.
        return parts.count == 2 && parts[0].lowercased() == "bearer" && token.matches(String(parts[1]))
    }
}
#endif
