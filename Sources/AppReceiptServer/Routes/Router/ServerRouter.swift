#if Server
import HTTPTypes
import Hummingbird

/// The router of all requests, which also lists its routes.
///
/// Hummingbird's router doesn't list them. The list is needed to respond with 405 and `Allow` to a method that a path
/// doesn't have, and tests compare it with the OpenAPI document.
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

/// Responds with 405 and `Allow` to requests whose path has routes, but none for the method.
@available(AppReceiptServer 1.0, *)
private struct MethodNotAllowed: RouterMiddleware {
    typealias Context = ServerContext

    /// The methods of each path. The keys are path components, because the router ignores a slash at the end.
    private let methods: [[Substring]: Set<HTTPRequest.Method>]

    init(_ routes: [ServerRouter.Route]) {
        methods = Dictionary(grouping: routes) { $0.path.split(separator: "/") }.mapValues { routes in
            let methods = Set(routes.map(\.method))
            return methods.contains(.get) ? methods.union([.head]) : methods
        }
    }

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        let components = request.uri.path.split(separator: "/")
        guard let methods = methods[components] else { return try await next(request, context) }
        context.coreContext.endpointPath.value = "/" + components.joined(separator: "/")
        let allowed = methods.map(\.rawValue).sorted().joined(separator: ", ")
        var error = APIError(.methodNotAllowed, .methodNotAllowed, "This path allows only \(allowed).")
        error.headers[.allow] = allowed
        throw error
    }
}
#endif
