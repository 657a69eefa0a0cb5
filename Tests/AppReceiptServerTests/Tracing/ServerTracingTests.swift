#if Server
import AppReceiptStore
import AppReceiptSupport
import AppStoreServerAPI
import HTTPTypes
import Hummingbird
import NIOEmbedded
import Testing
import Tracing

@testable import AppReceiptServer

@Suite("ServerTracing")
struct ServerTracingTests {
    private static let text = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @available(AppReceiptServer 1.0, *)
    private final class Receiver: AppStoreServerTransport {
        let headers = LockedValueBox<[String: String]>([:])

        func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            headers.withLock { $0 = request.headers }
            guard request.method == .get else { throw AppStoreServerTransportError.timedOut }
            return AppStoreServerHTTPResponse(status: 429, headers: [:], body: [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    private struct Fixture {
        let log = CapturedLog()
        let buffer: SpanBuffer
        let tracing: ServerTracing

        init(isTracing: Bool = true) {
            buffer = SpanBuffer(metrics: ServerMetrics(PrometheusRegistry()))
            tracing = ServerTracing(tracer: isTracing ? OTLPTracer(sampleRatio: 1, buffer: buffer) : nil)
        }

        /// Sends a request through the middleware.
        func send(_ headers: HTTPFields = [:], next: () async throws -> Response) async throws {
            let metrics = ServerMetrics(PrometheusRegistry())
            let observation = RequestObservation(observer: RequestObserver(metrics: metrics), tracing: tracing)
            let errors = ErrorMiddleware(
                responses: ErrorResponses(
                    limits: ServerLimits(), metrics: metrics, databaseFailures: DatabaseFailureLog(),
                    rejections: RejectionLog()))
            let head = HTTPRequest(
                method: .post, scheme: "http", authority: "localhost", path: "/v1/accounts/secret",
                headerFields: headers)
            _ = try await observation.handle(
                Request(head: head, body: RequestBody(buffer: ByteBuffer())),
                context: ServerContext(source: .init(channel: EmbeddedChannel(), logger: log.logger))
            ) { request, context in
                try await errors.handle(request, context: context) { _, _ in try await next() }
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request is a span below its client's, with its parts below it")
    func request() async throws {
        let fixture = Fixture()
        try await fixture.send([.traceparent: Self.text]) {
            fixture.tracing.verifying {}
            await #expect(throws: StoreError.full) {
                try await fixture.tracing.span(.storeWrite) { throw StoreError.full }
            }
            throw StoreError.full
        }
        let spans = fixture.buffer.take() ?? []
        #expect(spans.map(\.name) == ["verify", "write store", "POST"])
        let server = try #require(spans.last)
        #expect(server.parent == 0x00f0_67aa_0ba9_02b7)
        #expect(spans.dropLast().allSatisfy { $0.parent == server.context.span })
        #expect(spans.allSatisfy { $0.context.traceText == "4bf92f3577b34da6a3ce929d0e0e4736" })
        #expect(server.attributes["error.type"]?.toSpanAttribute() == .string("500"))
        #expect(server.attributes["http.response.status_code"]?.toSpanAttribute() == .int64(500))
        #expect(spans[1].attributes["error.type"]?.toSpanAttribute() == .string("full"))
        #expect(fixture.log.text.contains("4bf92f3577b34da6a3ce929d0e0e4736"))
        let text = String(decoding: OTLPDocument(version: "1").json(spans), as: UTF8.self)
        #expect(!text.contains("secret"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Without a tracer, the log has the trace of a request that names one, and nothing is recorded")
    func log() async throws {
        let fixture = Fixture(isTracing: false)
        try await fixture.send([.traceparent: Self.text]) {
            #expect(ServiceContext.current == nil)
            return Response(status: .ok)
        }
        #expect(fixture.log.text.contains("\"trace-id\": 4bf92f3577b34da6a3ce929d0e0e4736"))
        #expect(fixture.buffer.take() == nil)
        let other = Fixture(isTracing: false)
        try await other.send([.traceparent: "x"]) { Response(status: .ok) }
        #expect(!other.log.text.contains("trace-id"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests to others are spans whose place they contain, without identifiers")
    func client() async throws {
        let (fixture, receiver) = (Fixture(), Receiver())
        let transport = fixture.tracing.traced(receiver) { AppStoreClients.operation(of: $0.url) }
        let url = "https://api.example.com/inApps/v2/history/550000000000001?revision=secret"
        _ = try await transport.send(AppStoreServerHTTPRequest(method: .get, url: url))
        await #expect(throws: AppStoreServerTransportError.timedOut) {
            try await transport.send(AppStoreServerHTTPRequest(method: .post, url: "https://example.com/secret"))
        }
        let spans = fixture.buffer.take() ?? []
        #expect(spans.map(\.name) == ["GET /inApps/v2/history", "POST App Store"])
        #expect(spans.allSatisfy { $0.kind == .client && $0.status?.code == .error })
        #expect(spans.map { $0.attributes["error.type"]?.toSpanAttribute() } == [.string("429"), .string("timed out")])
        #expect(receiver.headers.withLock { $0["traceparent"] } == spans.last?.context.text)
        let text = String(decoding: OTLPDocument(version: "1").json(spans), as: UTF8.self)
        #expect(!text.contains("secret"))
        #expect(!text.contains("550000000000001"))
    }
}
#endif
