#if Server
import HTTPTypes
import Hummingbird

/// Responds with 405 and `Allow` to requests whose path has routes, but none for the method.
///
/// Added after the routes, so that it runs only for requests that have none.
@available(AppReceiptServer 1.0, *)
struct MethodNotAllowed: RouterMiddleware {
    typealias Context = ServerContext

    /// The methods of each path. The keys are path components, because the router ignores a slash at the end.
    private let methods: [[Substring]: Set<HTTPRequest.Method>]

    init(_ routes: [Router<ServerContext>.RouteDescription]) {
        methods = Dictionary(grouping: routes) { $0.path.description.split(separator: "/") }.mapValues { routes in
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
