#if Server
import HTTPTypes
import Hummingbird

/// The router of all requests, which also lists its routes.
///
/// Hummingbird's router doesn't list them. The list is needed to respond with 405 and `Allow` to a method that a path doesn't
/// have, and tests compare it with the OpenAPI document.
@available(AppReceiptServer 1.0, *)
final class ServerRouter: RouterMethods, HTTPResponderBuilder {
    typealias Context = ServerContext

    /// A method at a path.
    struct Route: Sendable, Hashable {
        let method: HTTPRequest.Method
        let path: String
    }

    private(set) var routes: [Route] = []
    private let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)

    @discardableResult
    func on<Responder: HTTPResponder<ServerContext>>(
        _ path: RouterPath, method: HTTPRequest.Method, responder: Responder
    ) -> Self {
        routes.append(Route(method: method, path: path.description))
        router.on(path, method: method, responder: responder)
        return self
    }

    @discardableResult
    func add(middleware: any MiddlewareProtocol<Request, Response, ServerContext>) -> Self {
        router.add(middleware: middleware)
        return self
    }

    func buildResponder() -> RouterResponder<ServerContext> {
        // Middleware that is added after the routes runs only for requests that have none.
        router.add(middleware: MethodNotAllowed(routes))
        return router.buildResponder()
    }
}
#endif
