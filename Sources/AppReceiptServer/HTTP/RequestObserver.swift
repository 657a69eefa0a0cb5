#if Server
import HTTPTypes
import Hummingbird
import Logging

/// The outermost layer: every request that is HTTP is answered in a form that clients can read, counted and logged, and
/// every response says to browsers what they may do with it. What is no HTTP gets a bare 400 before it comes here.
@available(AppReceiptServer 1.0, *)
struct RequestObserver: RouterMiddleware {
    typealias Context = ServerContext

    let metrics: ServerMetrics
    let limits: ServerLimits

    func handle(
        _ request: Request, context: Context, next: (Request, Context) async throws -> Response
    ) async throws -> Response {
        let start = ContinuousClock.now
        var response: Response
        do {
            response = try await next(request, context)
        } catch let refusal as APIError {
            response = Response(json: refusal.json, status: refusal.status)
            response.headers.append(contentsOf: refusal.headers)
        } catch is Overloaded {
            let overload = Overload(path: request.uri.path, limits: limits)
            response = Response(
                status: .serviceUnavailable, headers: overload.headers,
                body: .init(byteBuffer: .init(bytes: overload.body)))
        } catch let error as any HTTPResponseError {
            let refusal = APIError(
                error.status, error.status == .notFound ? "not-found" : "http-error",
                error.status == .notFound ? "There is nothing at this path." : error.status.reasonPhrase)
            response = Response(json: refusal.json, status: refusal.status)
        } catch is CollectedBody.Broken {
            // Who hung up will not read it.
            var refusal = APIError(.badRequest, "body-broken", "The body ended before its end, or is no HTTP.")
            refusal.headers[.connection] = "close"
            response = Response(json: refusal.json, status: refusal.status)
            response.headers.append(contentsOf: refusal.headers)
        } catch is CancellationError {
            throw CancellationError()
        } catch {
            // The error's own text may hold what came from a request.
            context.logger.error("Internal error", metadata: ["type": "\(type(of: error))"])
            response = Response(
                json: APIError(.internalServerError, "internal-error", "The server failed; this is its fault.").json,
                status: .internalServerError)
        }
        SecurityHeaders.add(to: &response.headers)
        let elapsed = ContinuousClock.now - start
        let nanoseconds =
            elapsed.components.seconds * 1_000_000_000 + elapsed.components.attoseconds / 1_000_000_000
        let route = context.endpointPath ?? "none"
        let method = Self.known(request.method)
        metrics.request(route: route, method: method, status: response.status.code, nanoseconds: nanoseconds)
        context.logger.debug(
            "Request",
            metadata: [
                "route": "\(route)", "method": "\(method)", "status": "\(response.status.code)",
                "microseconds": "\(nanoseconds / 1000)",
            ])
        return response
    }

    private static let methods: Set<HTTPRequest.Method> = [
        .get, .head, .post, .put, .delete, .patch, .options, .trace, .connect,
    ]

    /// A method as a label; clients can invent any number of them.
    private static func known(_ method: HTTPRequest.Method) -> String {
        methods.contains(method) ? method.rawValue : "other"
    }
}

/// There was too much to do.
struct Overloaded: Error {}
#endif
