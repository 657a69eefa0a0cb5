#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import Testing
import VerifyReceipt

/// Signed transactions in place of receipts, with the setting for them.
extension VerifyReceiptRoutesTests {
    private static let pro = TestTransaction("com.example.pro", transaction: "11").with {
        $0.environment = .production
    }

    private static func request(_ token: String, _ members: AppStoreJSON.Object = [:]) -> AppStoreJSON {
        var request = members
        request["receipt-data"] = .string(token)
        return .object(request)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Without the setting, a signed transaction is rejected, and the hint names the setting")
    func signedTransactionsByDefault() async throws {
        let token = try Self.pro.signed()
        try await TestServer.with { server async throws in
            let answer = try await server.post("/verifyReceipt", Self.request(token))
            #expect(answer.receiptStatus == 21002)
            #expect(answer.json.object?.members.map(\.name) == ["status"])
            let hint = try #require(answer.headers["x-receipt-hint"])
            #expect(hint.contains("Send the app receipt"))
            #expect(hint.hasSuffix(" Or set accept-signed-transactions."))
            #expect(server.log.text.contains("accept-signed-transactions"))
            #expect(try await server.get("/v1/purchases/11").status == 404)
            // The setting is no remedy for what proves nothing.
            let unsigned = try await server.post("/verifyReceipt", ["receipt-data": ["transactionId": "11"]])
            #expect(unsigned.headers["x-receipt-hint"]?.contains("accept-signed-transactions") == false)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("With the setting, a signed transaction is answered and recorded like a receipt")
    func acceptedSignedTransactions() async throws {
        let (token, sandbox) = (
            try Self.pro.signed(), try TestTransaction("com.example.pro", transaction: "12").signed()
        )
        try await TestServer.with {
            $0.acceptsSignedTransactions = true
        } _: { server async throws in
            let answer = try await server.post("/verifyReceipt", Self.request(token), headers: ["X-Account": "ann"])
            #expect(answer.receiptStatus == 0)
            #expect(answer.headers["x-receipt-hint"] == nil)
            #expect(answer.headers["x-replay"] == "0")
            #expect(answer.json["latest_receipt"]?.string == token)
            #expect(answer.json["latest_receipt_info"]?.array?.map { $0["product_id"] } == ["com.example.pro"])
            #expect(try await server.get("/v1/purchases/11").json["account"] == "ann")
            let replay = try await server.post("/verifyReceipt", Self.request(token), headers: ["X-Account": "ben"])
            #expect(replay.headers["x-replay"] == "1")
            #expect(try await server.post("/verifyReceipt", Self.request(sandbox)).receiptStatus == 21007)
            #expect(try await server.post("/sandbox/verifyReceipt", Self.request(token)).receiptStatus == 21008)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A refund that a notification reported is in the response to the older token")
    func refundedSignedTransaction() async throws {
        let token = try Self.pro.signed()
        let refund = try Self.pro.with {
            $0.revocationDate = instant("2024-08-01T00:00:00Z")
            $0.signedDate = instant("2024-08-01T00:00:01Z")
        }.signed()
        let notification = try TestNotification(type: .refund).with {
            $0.environment = .production
            $0.signedTransactionInfo = refund
        }.signed()
        try await TestServer.with {
            $0.acceptsSignedTransactions = true
        } _: { server async throws in
            let before = try await server.post("/verifyReceipt", Self.request(token))
            let bought = try #require(before.json["latest_receipt_info"]?.array?.first)
            #expect(bought["cancellation_date_ms"] == nil)
            let accepted = try await server.post("/v1/notifications", ["signedPayload": .string(notification)])
            #expect(accepted.status == 200)
            let after = try await server.post("/verifyReceipt", Self.request(token))
            let refunded = try #require(after.json["latest_receipt_info"]?.array?.first)
            #expect(refunded["cancellation_date_ms"] == "1722470400000")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A signed transaction requires the shared secret, and the log contains neither")
    func secretOfSignedTransactions() async throws {
        let token = try Self.pro.signed()
        try await TestServer.with {
            $0.acceptsSignedTransactions = true
            $0.sharedSecret = SharedSecret("hush-hush")
        } _: { server async throws in
            #expect(try await server.post("/verifyReceipt", Self.request(token)).receiptStatus == 21004)
            let wrapped: AppStoreJSON = ["Payload": .string(token), "password": "hush-hush"]
            #expect(try await server.post("/verifyReceipt", wrapped).receiptStatus == 0)
            #expect(!server.log.text.contains("'Payload'"))
            #expect(server.log.text.contains("There is a signed transaction in a wrapper"))
            #expect(!server.log.text.contains("hush-hush"))
            #expect(!server.log.text.contains(token.suffix(40)))
        }
    }
}
#endif
