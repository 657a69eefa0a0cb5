#if Server
import AppReceiptServer
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import Testing
import VerifyReceipt

@Suite("VerifyReceiptRoutes")
struct VerifyReceiptRoutesTests {
    private let production = TestReceipt().with { $0.environment = .production }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A request is read as JSON with any content type",
        arguments: [
            "application/json", "application/json; charset=utf-8", "application/x-www-form-urlencoded", "text/plain",
            "multipart/form-data", "",
        ])
    func contentTypeIsIgnored(type: String) async throws {
        let body = request(try production.signed())
        let answer = try await TestServer.with { server async throws in
            try await server.post("/verifyReceipt", body, headers: type.isEmpty ? [:] : ["Content-Type": type])
        }
        #expect(answer.status == 200)
        #expect(answer.receiptStatus == 0)
        #expect(answer.headers["content-type"] == "application/json")
        #expect(answer.json["receipt"]?["bundle_id"]?.string == "com.example.app")
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The response is the responder's, byte for byte except for the date of the request")
    func answerIsTheResponders() async throws {
        let body = request(try production.signed())
        let answer = try await TestServer.with { try await $0.post("/verifyReceipt", body) }
        let milliseconds = try #require(
            answer.json["receipt"]?["request_date_ms"]?.string.flatMap { Double($0) })
        let responder = VerifyReceiptResponder(
            verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .production)
        let expected = responder.response(to: body, now: Date(timeIntervalSince1970: milliseconds / 1000))
        #expect(answer.text == String(decoding: expected.body, as: UTF8.self))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Each endpoint accepts receipts of its environment, and returns the other's status for the rest")
    func environments() async throws {
        let (bought, tested) = (request(try production.signed()), request(try TestReceipt().signed()))
        try await TestServer.with { server async throws in
            let answer = try await server.post("/verifyReceipt", bought)
            #expect(answer.receiptStatus == 0)
            #expect(try await server.post("/verifyReceipt", tested).receiptStatus == 21007)
            #expect(try await server.post("/sandbox/verifyReceipt", tested).receiptStatus == 0)
            #expect(try await server.post("/sandbox/verifyReceipt", bought).receiptStatus == 21008)
        }
        try await TestServer.with {
            $0.acceptsBothEnvironments = true
        } _: { server async throws in
            let answer = try await server.post("/verifyReceipt", tested)
            #expect(answer.receiptStatus == 0)
            #expect(answer.json["environment"]?.string == "Sandbox")
        }
        try await TestServer.with {
            $0.environments = [.production]
        } _: { server async throws in
            #expect(try await server.post("/sandbox/verifyReceipt", tested).status == 404)
            #expect(try await server.post("/verifyReceipt", tested).receiptStatus == 21007)
        }
        try await TestServer.with {
            $0.environments = [.sandbox]
        } _: { server async throws in
            #expect(try await server.post("/verifyReceipt", tested).receiptStatus == 0)
            #expect(try await server.post("/verifyReceipt", bought).receiptStatus == 21008)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Receipts of an environment that isn't served are rejected and not stored",
        arguments: [[AppStoreEnvironment.production], [.sandbox], [.xcode], [.sandbox, .xcode], []], [false, true])
    func unservedEnvironments(environments: [AppStoreEnvironment], both: Bool) async throws {
        let purchase = TestPurchase("com.example.pro", transaction: "1", at: production.creationDate)
        let receipts = [
            AppStoreEnvironment.production: request(try production.with { $0.purchases = [purchase] }.signed()),
            .sandbox: request(try TestReceipt().with { $0.purchases = [purchase] }.signed()),
        ]
        try await TestServer.with({
            $0.environments = Set(environments)
            $0.acceptsBothEnvironments = both
        }) { server async throws in
            for (environment, body) in receipts where !environments.contains(environment) {
                for path in ["/verifyReceipt", "/sandbox/verifyReceipt"] {
                    let answer = try await server.post(path, body)
                    #expect(answer.receiptStatus != 0, "\(environment)")
                }
            }
            #expect(try await server.get("/metrics").text.contains(#"appreceipt_state{what="receipts"} 0"#))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A rejected request gets the status for the reason")
    func errors() async throws {
        let forged = request(try TestReceipt().with { $0.environment = .production }.signed(by: .impostor))
        let good = request(try production.signed())
        try await TestServer.with {
            $0.sharedSecret = SharedSecret("0123456789abcdef")
        } _: { server async throws in
            #expect(try await server.get("/verifyReceipt").receiptStatus == 21000)
            // Only POST uses the account.
            let malformed = ["X-Account": "two words"]
            #expect(try await server.get("/verifyReceipt", headers: malformed).receiptStatus == 21000)
            for account in ["two words", "", "alice, bob", "zo\u{EB}"] {
                let response = try await server.post("/verifyReceipt", good, headers: ["X-Account": account])
                #expect(response.errorCode == "account-malformed")
            }
            #expect(try await server.post("/verifyReceipt", Array("receipt-data=MII".utf8)).receiptStatus == 21000)
            #expect(try await server.post("/verifyReceipt", []).receiptStatus == 21000)
            #expect(try await server.post("/verifyReceipt", good).receiptStatus == 21004)
            let secret = request(try production.signed(), ["password": "0123456789abcdef"])
            #expect(try await server.post("/verifyReceipt", secret).receiptStatus == 0)
        }
        try await TestServer.with {
            $0.bundleIdentifiers = ["com.example.app"]
        } _: { server async throws in
            #expect(try await server.post("/verifyReceipt", forged).receiptStatus == 21003)
            #expect(try await server.post("/verifyReceipt", #"{"receipt-data":"x"}"#.utf8Bytes).receiptStatus == 21002)
            #expect(try await server.post("/verifyReceipt", "{}".utf8Bytes).receiptStatus == 21002)
            let other = request(
                try TestReceipt(bundleIdentifier: "com.example.other")
                    .with { $0.environment = .production }.signed())
            #expect(try await server.post("/verifyReceipt", other).receiptStatus == 21003)
            #expect(server.log.text.contains("intermediate-signature-invalid"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A body beyond the limit gets 21000, and the connection is closed")
    func bodyTooLarge() async throws {
        try await TestServer.with {
            $0.limits.maxBodyBytes = 4096
        } _: { server async throws in
            let answer = try await server.post("/verifyReceipt", [UInt8](repeating: 0x20, count: 5000))
            #expect(answer.status == 200)
            #expect(answer.receiptStatus == 21000)
            #expect(answer.headers["connection"] == "close")
            #expect(try await server.get("/healthz").status == 200)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Purchases of another account are reported only to callers that specify an account")
    func replays() async throws {
        let receipt = production.with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: $0.creationDate)]
        }
        let body = request(try receipt.signed())
        try await TestServer.with { server async throws in
            #expect(try await server.post("/verifyReceipt", body).headers["x-replay"] == nil)
            let first = try await server.post("/verifyReceipt", body, headers: ["X-Account": "alice"])
            #expect(first.headers["x-replay"] == "0")
            let again = try await server.post("/verifyReceipt", body, headers: ["X-Account": "alice"])
            #expect(again.headers["x-replay"] == "0")
            let second = try await server.post("/verifyReceipt", body, headers: ["X-Account": "mallory"])
            #expect(second.headers["x-replay"] == "1")
            #expect(second.receiptStatus == 0)
            #expect(server.metrics.text().contains("appreceipt_replays_total 1\n"))
            #expect(!server.log.text.contains("alice"))
            #expect(!server.log.text.contains("mallory"))
            let long = String(repeating: "x", count: 257)
            let rejected = try await server.post("/verifyReceipt", body, headers: ["X-Account": long])
            #expect(rejected.status == 400)
        }
    }
}

extension String {
    var utf8Bytes: [UInt8] { Array(utf8) }
}
#endif
