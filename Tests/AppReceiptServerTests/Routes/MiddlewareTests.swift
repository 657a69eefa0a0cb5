#if Server
import HTTPTypes
import Hummingbird
import NIOEmbedded
import Testing

@testable import AppReceiptServer

@Suite("Middleware")
struct MiddlewareTests {
    @available(AppReceiptServer 1.0, *)
    private struct Fixture {
        let metrics = PrometheusRegistry()
        let log = CapturedLog()

        /// Sends a request through the middleware of the router.
        func send(
            _ headers: HTTPFields = [:], next: (Request, ServerContext) async throws -> Response
        ) async throws -> Response {
            let serverMetrics = ServerMetrics(metrics)
            let observation = RequestObservation(observer: RequestObserver(metrics: serverMetrics))
            let errors = ErrorMiddleware(
                responses: ErrorResponses(
                    limits: ServerLimits(), metrics: serverMetrics, databaseFailures: DatabaseFailureLog(),
                    rejections: RejectionLog()))
            let checks = RequestChecks(crossOriginProtection: CrossOriginProtection(allowedHosts: []))
            let head = HTTPRequest(
                method: .post, scheme: "http", authority: "localhost", path: "/v1/receipts/validate",
                headerFields: headers)
            return try await observation.handle(
                Request(head: head, body: RequestBody(buffer: ByteBuffer())),
                context: ServerContext(source: .init(channel: EmbeddedChannel(), logger: log.logger))
            ) { request, context in
                try await errors.handle(request, context: context) { request, context in
                    try await checks.handle(request, context: context, next: next)
                }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A route's response gets the headers of all responses, and its request is counted")
    func response() async throws {
        let fixture = Fixture()
        let response = try await fixture.send { _, _ in Response(jsonBytes: Array("{}".utf8), status: .created) }
        #expect(response.status == .created)
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(fixture.metrics.text().contains(#"{method="POST",route="none",status="201"} 1"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An error of a route becomes a response with its headers, and is counted with its status")
    func error() async throws {
        let fixture = Fixture()
        let response = try await fixture.send { _, _ in throw CollectedBody.TooLarge() }
        #expect(response.status == .contentTooLarge)
        #expect(response.headers[.xContentTypeOptions] == "nosniff")
        #expect(fixture.metrics.text().contains(#"{method="POST",route="none",status="413"} 1"#))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A cancellation isn't answered or counted, because its connection is closed")
    func cancellation() async throws {
        let fixture = Fixture()
        await #expect(throws: CancellationError.self) {
            try await fixture.send { _, _ in throw CancellationError() }
        }
        #expect(!fixture.metrics.text().contains("appreceipt_http_requests_total{"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request of another site doesn't reach a route, and is counted")
    func crossOrigin() async throws {
        let fixture = Fixture()
        let response = try await fixture.send([.origin: "https://evil.example.net"]) { _, _ in
            Issue.record("The route was called.")
            return Response(status: .ok)
        }
        #expect(response.status == .forbidden)
        #expect(fixture.metrics.text().contains(#"{method="POST",route="none",status="403"} 1"#))
    }
}
#endif
