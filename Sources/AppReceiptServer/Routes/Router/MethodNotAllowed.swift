#if Server
import HTTPTypes
import Hummingbird

/// Responds with 405 and `Allow` to requests whose path has routes, but none for the method.
///
/// Added after the routes, so that it runs only for requests that have none.
@available(AppReceiptServer 1.0, *)
struct MethodNotAllowed: RouterMiddleware {
    typealias Context = ServerContext

    /// The methods of each path by its components, because the router ignores a slash at the end. A component that
    /// begins with a brace is a parameter.
    private let methods: [[Substring]: Set<HTTPRequest.Method>]

    init(_ routes: [Router<ServerContext>.RouteDescription]) {
        methods = Dictionary(grouping: routes) { $0.path.description.split(separator: "/") }.mapValues { routes in
            let methods = Set(routes.map(\.method))
            return methods.contains(.get) ? methods.union([.head]) : methods
        }
    }

    /// Returns the path with its methods that a request is for; nil if there is none.
    private func route(for components: [Substring]) -> (path: [Substring], methods: Set<HTTPRequest.Method>)? {
        if let methods = methods[components] { return (components, methods) }
        let route = methods.first { path, _ in
            path.count == components.count && zip(path, components).allSatisfy { $0.hasPrefix("{") || $0 == $1 }
        }
        return route.map { ($0.key, $0.value) }
    }

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard let route = route(for: request.uri.path.split(separator: "/")) else {
            return try await next(request, context)
        }
        // Without the parameters, which name customers.
        context.coreContext.endpointPath.value = "/" + route.path.joined(separator: "/")
        let allowed = route.methods.map(\.rawValue).sorted().joined(separator: ", ")
        var error = APIError(.methodNotAllowed, .methodNotAllowed, "This path allows only \(allowed).")
        error.headers[.allow] = allowed
        throw error
    }
}
#endif
