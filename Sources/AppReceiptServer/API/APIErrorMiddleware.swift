#if Server
import Hummingbird

/// Converts errors of the routes in `/v1` to ``APIError``.
@available(AppReceiptServer 1.0, *)
struct APIErrorMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let limits: ServerLimits

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CollectedBody.TooLarge {
            throw APIError(
                .contentTooLarge, "body-too-large",
                "The body is larger than the limit of \(limits.bodyBytes) bytes.")
        } catch let error as StoreError {
            context.logger.databaseFailed(error)
            throw APIError.databaseFailed
        }
    }
}
#endif
