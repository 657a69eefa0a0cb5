#if Server
import Hummingbird
import Logging

/// Responds to errors that every route with a body or database can throw, in the form of its group of routes.
@available(AppReceiptServer 1.0, *)
struct ErrorMiddleware: RouterMiddleware {
    typealias Context = ServerContext

    /// An error whose response differs between groups.
    enum Failure: Sendable {
        /// The body exceeds the limit.
        case bodyTooLarge
        /// The database can't be read or written.
        case databaseFailed
        /// The stored evidence about one receipt exceeds the limits of the store.
        case tooMuchEvidence
    }

    /// Returns the response to a failure.
    typealias Render = @Sendable (Failure, Logger) -> Response

    let render: Render

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch is CollectedBody.TooLarge {
            return render(.bodyTooLarge, context.logger)
        } catch let error as StoreError {
            context.logger.databaseFailed(error)
            return render(error == .tooMuchEvidence ? .tooMuchEvidence : .databaseFailed, context.logger)
        }
    }
}
#endif
