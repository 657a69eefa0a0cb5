#if Server
import HTTPTypes
import Hummingbird
import VerifyReceipt

/// Rejects requests without a token that may do what the routes do, before their bodies are read. A server without
/// tokens accepts every request.
@available(AppReceiptServer 1.0, *)
struct Authentication: RouterMiddleware {
    typealias Context = ServerContext

    let tokens: [AccessToken]
    /// The permission that the routes need.
    let permission: AccessToken.Role.Permission

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.access = try access(of: request)
        return try await next(request, context)
    }

    /// Returns the apps about which the client may ask.
    ///
    /// - Throws: `unauthorized` without a token that the server knows, `role-insufficient` if its role may not do this.
    func access(of request: Request) throws(APIError) -> Access {
        guard !tokens.isEmpty else { return .everyApp }
        guard let token = token(in: request) else {
            var error = APIError(
                .unauthorized, .unauthorized, "Send a token of the server as 'Authorization: Bearer …'.")
            error.headers[.wwwAuthenticate] = "Bearer"
            throw error
        }
        guard token.role.allows(permission) else {
            let roles = AccessToken.Role.allCases.filter { $0.allows(permission) }.map { "'\($0.rawValue)'" }
            var error = APIError(
                .forbidden, .roleInsufficient,
                "The token has the role '\(token.role.rawValue)'. This requires \(roles.joined(separator: " or ")).")
            error.token = token.name
            throw error
        }
        return Access(apps: token.apps, token: token.name, mayRead: token.role.allows(.reading))
    }

    /// Returns the token in a request; nil if it isn't one of the server's.
    private func token(in request: Request) -> AccessToken? {
        let parts = (request.headers[.authorization] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bearer" else { return nil }
        let text = String(parts[1])
        // All of them are compared, each in constant time.
        return tokens.filter { $0.secret.matches(text) }.first
    }
}
#endif
