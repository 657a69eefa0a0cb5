#if Server
import VerifyReceipt
import AppReceiptServer
import AppReceiptKit
import AppReceiptTesting
import HTTPTypes
import Testing

@Suite("OperationRoutes")
struct OperationRoutesTests {
    @available(AppReceiptServer 1.0, *)
    @Test("Every route for GET responds to HEAD with the same head and no body")
    func headAnswers() async throws {
        try await TestServer.with { server async throws in
            let paths = ["/healthz", "/readyz", "/metrics", "/openapi.json", "/", "/verifyReceipt"]
            for path in paths {
                let (get, head) = (try await server.get(path), try await server.send(.head, path))
                #expect(head.status == get.status)
                #expect(head.headers["content-type"] == get.headers["content-type"])
                #expect(head.body.isEmpty)
                #expect(!get.body.isEmpty)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A method that a path doesn't support gets 405 with the allowed methods")
    func methodNotAllowed() async throws {
        try await TestServer.with { server async throws in
            let answer = try await server.send(.delete, "/healthz")
            #expect(answer.status == 405)
            #expect(answer.headers["allow"] == "GET, HEAD")
            #expect(answer.errorCode == "method-not-allowed")
            #expect(try await server.get("/v1/receipts/validate").headers["allow"] == "POST")
            #expect(try await server.get("/nothing").errorCode == "not-found")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every response has the security headers for browsers")
    func securityHeaders() async throws {
        try await TestServer.with { server async throws in
            for path in ["/healthz", "/", "/nothing", "/verifyReceipt", "/v1/receipts/validate"] {
                let answer = try await server.get(path)
                #expect(answer.headers["content-security-policy"]?.contains("default-src 'none'") == true)
                #expect(answer.headers["x-content-type-options"] == "nosniff")
                #expect(answer.headers["referrer-policy"] == "no-referrer")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The metrics count requests and responses")
    func metrics() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/sandbox/verifyReceipt", request(try TestReceipt().signed()))
            _ = try await server.post("/sandbox/verifyReceipt", request(try TestReceipt().signed(by: .impostor)))
            let answer = try await server.get("/metrics")
            #expect(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Set(answer.text.split(separator: "\n").map(String.init))
            #expect(lines.contains(#"appreceipt_verify_receipt_responses_total{code="valid",status="0"} 1"#))
            #expect(
                lines.contains(
                    #"appreceipt_verify_receipt_responses_total{code="intermediate-signature-invalid",status="21003"} 1"#
                ))
            #expect(
                lines.contains(
                    #"appreceipt_http_requests_total{method="POST",route="/sandbox/verifyReceipt",status="200"} 2"#))
            #expect(lines.contains("appreceipt_body_bytes 0"))
            #expect(lines.contains(#"appreceipt_state{what="skipped"} 0"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The log contains no data of receipts, tokens or customers at any level")
    func logContainsNoContents() async throws {
        let receipt = TestReceipt(bundleIdentifier: "com.example.confidential").with {
            $0.purchases = [TestPurchase("com.example.secretproduct", transaction: "987654321", at: $0.creationDate)]
        }
        let token = try TestTransaction("com.example.secretproduct", transaction: "987654321").signed()
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            _ = try await server.post("/sandbox/verifyReceipt", request(try receipt.signed()))
            _ = try await server.post(
                "/v1/receipts/validate", try receipt.signed(), headers: ["X-Account": "customer7"])
            _ = try await server.post("/v1/signed-data/verify", Array(token.utf8), headers: ["X-Account": "customer8"])
            _ = try await server.post("/v1/receipts/validate?device-id=confidentialdevice", try receipt.signed())
            _ = try await server.get("/confidential?confidential=1")
            let log = server.log.text
            #expect(log.contains("verifyReceipt rejected"))
            for secret in ["confidential", "secretproduct", "987654321", "customer", String(token.prefix(40))] {
                #expect(!log.contains(secret))
            }
        }
    }
}
#endif
