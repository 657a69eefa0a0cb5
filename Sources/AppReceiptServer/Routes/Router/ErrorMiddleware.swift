#if Server
import Hummingbird

/// Turns errors into responses, and logs rejections. Rethrows a cancellation, whose connection is closed.
@available(AppReceiptServer 1.0, *)
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    let responses: ErrorResponses

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch let error as CancellationError {
            throw error
        } catch {
            let response = responses.response(to: error, path: request.uri.path, logger: context.logger)
            responses.log(error, route: context.endpointPath ?? "none", logger: context.logger)
            return response
        }
    }
}
#endif
