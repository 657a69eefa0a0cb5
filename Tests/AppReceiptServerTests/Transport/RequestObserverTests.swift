#if Server
import HTTPTypes
import Hummingbird
import Logging
import NIOEmbedded
import Testing

@testable import AppReceiptServer

@Suite("RequestObserver")
struct RequestObserverTests {
    /// Completes the response to a request without a route.
    @available(AppReceiptServer 1.0, *)
    private func complete(
        _ response: Response = Response(status: .ok), method: HTTPRequest.Method = .get,
        identifier: String? = "request-1", metrics: PrometheusRegistry = PrometheusRegistry(),
        log: CapturedLog = CapturedLog()
    ) -> Response {
        var logger = log.logger
        logger[metadataKey: "hb.request.id"] = identifier.map { .string($0) }
        var response = response
        RequestObserver(metrics: ServerMetrics(metrics)).complete(
            &response,
            to: Request(
                head: HTTPRequest(method: method, scheme: "http", authority: "localhost", path: "/secret-path"),
                body: RequestBody(buffer: ByteBuffer())),
            in: ServerContext(source: .init(channel: EmbeddedChannel(), logger: logger)), since: .now)
        return response
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response has the request's identifier and the security headers, and keeps its own cache policy")
    func headers() {
        let response = complete(Response(status: .ok, headers: [.cacheControl: "max-age=60"]))
        #expect(response.headers[.requestID] == "request-1")
        #expect(response.headers[.referrerPolicy] == "no-referrer")
        #expect(response.headers[.cacheControl] == "max-age=60")
        #expect(complete().headers[.cacheControl] == "no-store")
        #expect(complete(identifier: nil).headers[.requestID] == nil)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests are counted by method and status; a method outside the list is 'other'")
    func metrics() throws {
        let metrics = PrometheusRegistry()
        _ = complete(Response(status: .notFound), metrics: metrics)
        _ = complete(method: try #require(HTTPRequest.Method("PROPFIND")), metrics: metrics)
        let text = metrics.text()
        #expect(text.contains(#"appreceipt_http_requests_total{method="GET",route="none",status="404"} 1"#))
        #expect(text.contains(#"appreceipt_http_requests_total{method="other",route="none",status="200"} 1"#))
        #expect(!text.contains("PROPFIND"))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request is logged with its route, method and status, and without its path")
    func log() {
        let log = CapturedLog()
        _ = complete(Response(status: .notFound), log: log)
        #expect(log.text.contains("debug Request"))
        for member in [#""route": none"#, #""method": GET"#, #""status": 404"#] {
            #expect(log.text.contains(member))
        }
        #expect(!log.text.contains("secret-path"))
    }
}
#endif
