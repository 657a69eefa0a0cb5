#if Server
import AppReceiptSupport
import AppReceiptKit
import AppReceiptServer
import AppReceiptStore
import AppReceiptTesting
import HTTPTypes
import StoreTestSupport
import Testing
import VerifyReceipt

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
            // A path with parameters.
            let customer = try await server.post("/v1/accounts/42/purchases/1", [UInt8]())
            #expect(customer.status == 405)
            #expect(customer.headers["allow"] == "PUT")
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

    @available(AppReceiptServer 1.0, *)
    @Test("The server warns of refunds of former roots at its start, and names them to clients with its token")
    func report() async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path, .testsAndFormer)
            for number in 1...12 {
                let refund = StoreFixtures.period("9876\(number)", refund: "2024-07-01T00:00:00Z").with {
                    $0.originalTransactionIdentifier = $0.transactionIdentifier
                }
                try await store.record(StoreFixtures.transaction(refund, by: StoreFixtures.formerPKI))
            }
            try await store.close()
            try await TestServer.with {
                $0.database = .file(path)
                $0.tokens = [AccessToken(SharedSecret("secret"))]
            } _: { server async throws in
                let warning = "Stored refunds of roots that aren't trusted any more"
                #expect(server.log.text.contains(warning))
                #expect(server.log.text.contains("12"))
                let open = try await server.get("/readyz")
                #expect(open.status == 503)
                #expect(open.json == ["status": "untrusted-revocation"])
                let wrong = try await server.get("/readyz", headers: ["Authorization": "Bearer x"])
                #expect(wrong.json == open.json)
                let named = try await server.get("/readyz", headers: ["Authorization": "Bearer secret"])
                #expect(named.status == 503)
                #expect(named.json["status"] == "untrusted-revocation")
                // The first ten.
                let expected = (1...12).map { "9876\($0)" }.sorted().prefix(10)
                let originals = named.json["originalTransactionIdentifiers"]?.array?.compactMap(\.string)
                #expect(originals == Array(expected))
                #expect(!server.log.text.contains("9876"))
            }
            try await TestServer.with {
                $0.database = .file(path)
            } _: { server async throws in
                let answer = try await server.get("/readyz", headers: ["Authorization": "Bearer secret"])
                #expect(answer.json == ["status": "untrusted-revocation"])
            }
        }
    }
}
#endif
