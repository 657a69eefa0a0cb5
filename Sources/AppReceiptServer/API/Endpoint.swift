#if Server
import HTTPTypes
import Hummingbird

/// A method at a path, and what answers it.
@available(AppReceiptServer 1.0, *)
struct Endpoint: Sendable {
    typealias Handler = @Sendable (Request, ServerContext) async throws -> Response

    let method: HTTPRequest.Method
    let path: String
    let handler: Handler

    static func get(_ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method: .get, path: path, handler: handler)
    }

    static func post(_ path: String, _ handler: @escaping Handler) -> Endpoint {
        Endpoint(method: .post, path: path, handler: handler)
    }

    /// The methods that are known by name.
    static let methods: [HTTPRequest.Method] = [.get, .head, .post, .put, .delete, .patch, .options, .trace, .connect]

    /// A router of endpoints. GET answers HEAD too, and a method that a path does not have gets 405, also one that nobody
    /// has heard of.
    static func router(
        _ endpoints: [Endpoint], observer: RequestObserver, protection: CrossOriginProtection
    ) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: observer)
        router.add(middleware: protection)
        router.add(middleware: AllowedMethods(endpoints))
        for endpoint in endpoints {
            router.on(RouterPath(endpoint.path), method: endpoint.method, use: endpoint.handler)
        }
        return router
    }
}

/// Says 405 where the router, which looks for path and method together, says that there is nothing.
@available(AppReceiptServer 1.0, *)
private struct AllowedMethods: RouterMiddleware {
    typealias Context = ServerContext

    /// The path of an endpoint, and what `Allow` says of it.
    private struct Allowed: Sendable {
        let path: String
        let methods: String
    }

    /// By the parts of the path: the router, too, overlooks a slash at the end.
    private let allowed: [[Substring]: Allowed]

    init(_ endpoints: [Endpoint]) {
        allowed = Dictionary(grouping: endpoints, by: \.path).reduce(into: [:]) { allowed, group in
            var methods = Set(group.value.map(\.method))
            if methods.contains(.get) { methods.insert(.head) }
            allowed[group.key.split(separator: "/")] = Allowed(
                path: group.key, methods: methods.map(\.rawValue).sorted().joined(separator: ", "))
        }
    }

    func handle(
        _ request: Request, context: ServerContext, next: (Request, ServerContext) async throws -> Response
    ) async throws -> Response {
        guard context.endpointPath == nil, let allowed = allowed[request.uri.path.split(separator: "/")] else {
            return try await next(request, context)
        }
        context.coreContext.endpointPath.value = allowed.path
        var refusal = APIError(
            .methodNotAllowed, "method-not-allowed", "This path allows only \(allowed.methods).")
        refusal.headers[.allow] = allowed.methods
        throw refusal
    }
}
#endif
