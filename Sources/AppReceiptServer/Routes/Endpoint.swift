#if Server
import HTTPTypes
import Hummingbird

/// A method at a path, and what answers it.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, *)
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

    /// A router of endpoints. GET answers HEAD too, and a method that a path does not have gets 405.
    static func router(_ endpoints: [Endpoint], observer: RequestObserver) -> Router<ServerContext> {
        let router = Router(context: ServerContext.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: observer)
        for (path, endpoints) in Dictionary(grouping: endpoints, by: \.path) {
            var allowed = Set(endpoints.map(\.method))
            if allowed.contains(.get) { allowed.insert(.head) }
            let names = allowed.map(\.rawValue).sorted().joined(separator: ", ")
            for endpoint in endpoints {
                router.on(RouterPath(path), method: endpoint.method, use: endpoint.handler)
            }
            for method in methods where !allowed.contains(method) {
                router.on(RouterPath(path), method: method) { _, _ -> Response in
                    var refusal = Refusal(
                        .methodNotAllowed, "method-not-allowed", "This path has no such method, but \(names).")
                    refusal.headers[.allow] = names
                    throw refusal
                }
            }
        }
        return router
    }
}
#endif
