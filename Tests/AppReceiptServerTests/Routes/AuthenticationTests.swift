#if Server
import AppReceiptServer
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Testing
import VerifyReceipt

@Suite("Authentication")
struct AuthenticationTests {
    @available(AppReceiptServer 1.0, *)
    @Test(
        "A request without the token gets 401",
        arguments: ["", "Bearer", "Bearer ", "Bearer wrong", "Basic c2VjcmV0", "secret", "Bearer secret x"])
    func wrongTokens(header: String) async throws {
        try await TestServer.with {
            $0.bearerToken = SharedSecret("secret")
        } _: { server async throws in
            let answer = try await server.post(
                "/v1/receipts/validate", try TestReceipt().signed(),
                headers: header.isEmpty ? [:] : ["Authorization": header])
            #expect(answer.status == 401)
            #expect(answer.errorCode == "unauthorized")
            #expect(answer.headers["www-authenticate"] == "Bearer")
            #expect(!server.log.text.contains("secret"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every route of the API requires the token; verifyReceipt, health and the page don't")
    func rightToken() async throws {
        try await TestServer.with {
            $0.bearerToken = SharedSecret("secret")
        } _: { server async throws in
            let receipt = try TestReceipt().signed()
            for (path, body) in [
                ("/v1/receipts/validate", receipt), ("/v1/receipts/inspect", receipt),
                ("/v1/signed-data/verify", Array("eyJ".utf8)),
                ("/v1/inspector/examine", Array(#"{"sample":"none"}"#.utf8)),
            ] {
                let headers = ["Content-Type": path.contains("inspector") ? "application/json" : "text/plain"]
                #expect(try await server.post(path, body, headers: headers).status == 401)
                let authorized = headers.merging(["Authorization": "bearer secret"]) { $1 }
                #expect(try await server.post(path, body, headers: authorized).status != 401)
            }
            #expect(try await server.post("/sandbox/verifyReceipt", request(receipt)).receiptStatus == 0)
            for path in ["/healthz", "/readyz", "/metrics", "/openapi.json", "/"] {
                #expect(try await server.get(path).status == 200)
            }
        }
    }
}
#endif
