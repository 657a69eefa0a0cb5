#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import Testing
import VerifyReceipt

@Suite("CrossOriginProtection")
struct CrossOriginProtectionTests {
    private static let crossSite = ["Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"]

    @available(AppReceiptServer 1.0, *)
    @Test("Every route rejects and counts requests of other sites")
    func everyRoute() async throws {
        try await RunningServer.with {
            $0.tokens = [AccessToken(SharedSecret("token"))]
        } _: { server async throws in
            for path in [
                "/verifyReceipt", "/sandbox/verifyReceipt", "/v1/receipts/validate", "/v1/receipts/inspect",
                "/v1/signed-data/verify", "/v1/notifications", "/v1/inspector/examine", "/v1/validator", "/",
                "/nothing",
            ] {
                let answer = try await server.post(path, Array("{}".utf8), headers: Self.crossSite)
                #expect(answer.status == 403)
                #expect(answer.errorCode == "cross-origin")
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["access-control-allow-origin"] == nil)
            }
            for path in [
                "/metrics", "/healthz", "/readyz", "/openapi.json", "/verifyReceipt", "/inspector/inspector.js",
            ] {
                #expect(try await server.get(path, headers: Self.crossSite).errorCode == "cross-origin")
                #expect(try await server.get(path, headers: ["Origin": "null"]).errorCode == "cross-origin")
                #expect(try await server.get(path, headers: ["Sec-Fetch-Site": "none"]).status == 200)
            }
            let metrics = server.metrics.text()
            #expect(
                metrics.contains(
                    #"appreceipt_http_requests_total{method="POST",route="/verifyReceipt",status="403"} 1"#))
            #expect(server.log.text.contains("cross-origin"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Requests of other sites are logged once a minute for each reason")
    func log() async throws {
        try await TestServer.with { server async throws in
            for _ in 0..<3 {
                _ = try await server.get("/healthz", headers: ["Origin": "https://evil.example.net"])
                _ = try await server.get("/healthz", headers: Self.crossSite)
            }
            let lines = server.log.text.split(separator: "\n").filter { $0.contains("cross-origin") }
            #expect(lines.count == 2)
            #expect(lines.first?.contains(#""reason": origin"#) == true)
            #expect(lines.last?.contains(#""reason": site"#) == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request is rejected before its body arrives")
    func beforeTheBody() async throws {
        try await RunningServer.with { server async throws in
            let answer = try await server.talk { connection in
                try connection.send(
                    "POST /v1/receipts/validate HTTP/1.1\r\nHost: localhost\r\nOrigin: https://evil.example.net\r\n"
                        + "Content-Length: 1000\r\n\r\n")
                return try connection.response()
            }
            #expect(answer?.status == 403)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The page works under loopback names and allowed hosts")
    func thePage() async throws {
        try await RunningServer.with {
            $0.allowedHosts = ["receipts.example.com"]
        } _: { server async throws in
            for (host, status) in [
                ("127.0.0.1:\(server.port)", 200), ("localhost:\(server.port)", 200), ("[::1]:\(server.port)", 200),
                ("receipts.example.com", 200), ("evil.example.net:\(server.port)", 403),
            ] {
                let answers = try await server.talk { connection in
                    try connection.send(
                        "GET / HTTP/1.1\r\nHost: \(host)\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: navigate\r\n\r\n"
                    )
                    let page = try connection.response()
                    let body = #"{"sample":"production-subscriptions"}"#
                    try connection.send(
                        "POST /v1/inspector/examine HTTP/1.1\r\nHost: \(host)\r\nOrigin: http://\(host)\r\n"
                            + "Content-Type: application/json\r\nSec-Fetch-Site: same-origin\r\nSec-Fetch-Mode: cors\r\n"
                            + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
                    return [page, try connection.response()]
                }
                #expect(answers.map { $0?.status } == [status, status], "\(host)")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Programs and proxies may send any Host")
    func programs() async throws {
        let body = request(try TestReceipt().signed())
        try await RunningServer.with { server async throws in
            let answer = try await server.talk { connection in
                try connection.send(
                    Array(
                        "POST /sandbox/verifyReceipt HTTP/1.1\r\nHost: receipts.example.com\r\nContent-Length: \(body.count)\r\n\r\n"
                            .utf8) + body)
                return try connection.response()
            }
            #expect(answer?.receiptStatus == 0)
        }
    }
}
#endif
