#if Server
import AppReceiptKit
import AppReceiptServer
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing
import VerifyReceipt

/// Answers from receipts and stored evidence.
extension VerifyReceiptRoutesTests {
    /// Runs a server that trusts the intermediate of transaction receipts.
    @available(AppReceiptServer 1.0, *)
    private func withTransactionReceipts(_ body: (TestServer) async throws -> Void) async throws {
        let pki = TestPKI.transactionReceipts
        let anchors = try TrustAnchors(
            der: [TestPKI.standard, .signedData, pki].map { try $0.root.der() })
        let trust = try TransactionReceiptTrust(der: [pki.intermediate.der()])
        try await TestServer.with(
            {
                $0.anchors = anchors
                $0.transactionReceipts = trust
            }, body)
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "The route validate reads transaction receipts as text and base64, with the stored evidence about the purchase")
    func validatedTransactionReceipt() async throws {
        let receipt = TestTransactionReceipt("com.example.pro", transaction: "350000245250525", at: Self.start).with {
            $0.unsignedEntries = []
        }
        let list = try receipt.signed()
        let base64 = Data(list).base64EncodedString()
        let refunded = TestTransaction("com.example.pro", transaction: "350000245250525", at: Self.start).with {
            $0.signedDate = instant("2024-12-01T00:00:00Z")
            $0.revocationDate = instant("2024-11-01T00:00:00Z")
            $0.environment = .production
        }
        try await withTransactionReceipts { server async throws in
            let path = "/v1/receipts/validate?bundle-id=com.example.app&environment=production"
            for body in [list, Array(base64.utf8)] {
                let response = try await server.post(path, body)
                #expect(response.status == 200)
                #expect(response.json["verdict"] == "valid")
                #expect(response.json["kind"] == "transaction-receipt")
                #expect(response.json["revoked"]?.array?.isEmpty == true)
                #expect(response.json["products"]?.array?.map { $0["state"] } == ["owned"])
            }
            let object = try await server.post(
                "/v1/receipts/validate", ["receipt": .string(base64), "environment": "sandbox"])
            #expect(object.json["failure"]?["code"] == "environment-mismatch")
            #expect(object.json["products"]?.array?.isEmpty == true)
            #expect(object.json["revoked"]?.array?.isEmpty == true)
            _ = try await server.post("/v1/signed-data/verify", Array(try refunded.signed().utf8))
            let after = try await server.post(path, list, headers: ["X-Account": "ann"])
            #expect(after.json["products"]?.array?.map { $0["state"] } == ["refunded"])
            #expect(after.json["revoked"]?.array?.first?["transactionIdentifier"] == "350000245250525")
            #expect(after.json["replays"]?.array?.isEmpty == true)
            let replay = try await server.post(path, list, headers: ["X-Account": "ben"])
            #expect(replay.json["replays"] == ["350000245250525"])
            let contents = try await server.post("/v1/receipts/inspect", list)
            #expect(contents.json["verified"] == false)
            #expect(contents.json["bundleIdentifier"] == "com.example.app")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The verdict on a transaction receipt is counted once, wherever it is submitted", arguments: [true, false])
    func countedTransactionReceipt(isTrusted: Bool) async throws {
        let receipt = try TestTransactionReceipt("com.example.pro", transaction: "1", at: Self.start).signed()
        let base64 = AppStoreJSON.string(Data(receipt).base64EncodedString())
        func count(_ server: TestServer) -> Int? {
            let lines = server.metrics.text().split(separator: "\n").filter {
                $0.contains(#"kind="receipt""#) && $0.hasPrefix("appreceipt_verdicts_total") && !$0.hasSuffix(" 0")
                    && $0.contains(#"code="valid""#) == isTrusted
            }
            return lines.count == 1 ? lines[0].split(separator: " ").last.flatMap { Int($0) } : nil
        }
        func check(_ server: TestServer) async throws {
            #expect(try await server.post("/v1/receipts/validate", ["receipt": base64]).status == 200)
            #expect(count(server) == 1)
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [base64]])
            #expect(count(server) == 2)
        }
        try await isTrusted ? withTransactionReceipts(check) : TestServer.with(check)
    }

    private static let start = instant("2015-11-18T04:34:41Z")

    @available(AppReceiptServer 1.0, *)
    @Test("The response to a transaction receipt contains the stored evidence about its purchase")
    func transactionReceipt() async throws {
        let subscription = request(
            try TestTransactionReceipt(
                "com.example.plus", transaction: "1", at: Self.start, expirationDate: Self.start + 7 * 86_400
            ).signed())
        let once = request(try TestTransactionReceipt("com.example.pro", transaction: "2", at: Self.start).signed())
        let renewed = TestTransaction(
            "com.example.plus", transaction: "11", original: "1", at: instant("2024-12-01T00:00:00Z"),
            until: instant("2124-12-01T00:00:00Z")
        ).with { $0.signedDate = instant("2024-12-01T00:00:00Z") }
        let refunded = TestTransaction("com.example.pro", transaction: "2", at: Self.start).with {
            $0.signedDate = instant("2024-12-01T00:00:00Z")
            $0.revocationDate = instant("2024-11-01T00:00:00Z")
            $0.overrides = ["revocationReason": 0]
        }
        let notification = try TestNotification(type: .didRenew).with {
            $0.signedTransactionInfo = try renewed.signed()
            $0.signedRenewalInfo = try TestRenewalInfo("com.example.plus", original: "1").signed()
        }.signed()
        try await withTransactionReceipts { server async throws in
            #expect(try await server.post("/sandbox/verifyReceipt", subscription).receiptStatus == 21006)
            let before = try await server.post("/sandbox/verifyReceipt", once)
            #expect(before.receiptStatus == 0)
            #expect(before.json["receipt"]?["cancellation_date"] == nil)
            _ = try await server.post("/v1/notifications", ["signedPayload": .string(notification)])
            _ = try await server.post("/v1/signed-data/verify", Array(try refunded.signed().utf8))
            let active = try await server.post("/sandbox/verifyReceipt", subscription)
            #expect(active.receiptStatus == 0)
            #expect(active.json["latest_receipt_info"]?["transaction_id"]?.string == "11")
            #expect(active.json["auto_renew_status"] == 1)
            let after = try await server.post("/sandbox/verifyReceipt", once)
            #expect(after.json["receipt"]?["cancellation_date"]?.string == "2024-11-01 00:00:00 Etc/GMT")
            #expect(after.json["receipt"]?["cancellation_reason"]?.string == "0")
            #expect(after.json["latest_receipt_info"] == after.json["receipt"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A transaction receipt from a second account is a replay, even if the first account submitted an app receipt"
    )
    func replayOfTransactionReceipt() async throws {
        let old = request(try TestTransactionReceipt("com.example.pro", transaction: "1", at: Self.start).signed())
        let other = request(try TestTransactionReceipt("com.example.pro", transaction: "2", at: Self.start).signed())
        let app = request(
            try TestReceipt().with {
                $0.purchases = [TestPurchase("com.example.pro", transaction: "2", at: Self.start)]
            }.signed())
        try await withTransactionReceipts { server async throws in
            func replays(_ body: [UInt8], _ account: String?) async throws -> String? {
                try await server.post(
                    "/sandbox/verifyReceipt", body, headers: account.map { ["X-Account": $0] } ?? [:]
                ).headers["x-replay"]
            }
            #expect(try await replays(old, nil) == nil)
            #expect(try await replays(old, "ann") == "0")
            #expect(try await replays(old, "ann") == "0")
            #expect(try await replays(old, "ben") == "1")
            #expect(try await replays(app, "ann") == "0")
            #expect(try await replays(other, "ben") == "1")
            #expect(try await replays(other, "ann") == "0")
            #expect(server.metrics.text().contains("appreceipt_replays_total 2\n"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A padded receipt is stored and returned without its padding")
    func paddedReceipt() async throws {
        let start = instant("2024-06-01T00:00:00Z")
        let old = TestReceipt().with {
            $0.purchases = [
                TestPurchase(subscription: "com.example.plus", transaction: "1", from: start, to: start + 86_400)
            ]
        }
        let new = old.with {
            $0.creationDate += 86_400
            $0.purchases.append(
                TestPurchase(
                    subscription: "com.example.plus", transaction: "2", original: "1", from: start + 86_400,
                    to: start + 172_800))
        }
        let padded = try StoreFixtures.padded(new)
        try await TestServer.with { server async throws in
            let own = try await server.post("/sandbox/verifyReceipt", request(padded))
            #expect(own.json["latest_receipt"]?.string == Data(padded).base64EncodedString())
            let answer = try await server.post("/sandbox/verifyReceipt", request(try old.signed()))
            #expect(answer.json["latest_receipt_info"]?.array?.count == 2)
            let latest = try #require(answer.json["latest_receipt"]?.string.flatMap { Data(base64Encoded: $0) })
            #expect(latest.count < 6_000)
            #expect(Array(latest) == (try StoreFixtures.receipt(container: new.signed()).strippedContainer()))
            #expect(try await server.post("/v1/receipts/validate", Array(latest)).json["verdict"]?.string == "valid")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A refund in a newer receipt is in the response to an older receipt")
    func refundFromStoredReceipt() async throws {
        let purchase = TestPurchase("com.example.pro", transaction: "1", at: instant("2024-06-01T00:00:00Z"))
        let old = TestReceipt().with { $0.purchases = [purchase] }
        let refunded = old.with {
            $0.creationDate += 86_400
            $0.purchases[0].cancellationDate = instant("2024-07-03T00:00:00Z")
        }
        let lagging = old.with {
            $0.creationDate += 172_800
            // A later purchase. The refunded one isn't listed.
            $0.purchases[0].transactionIdentifier = "5"
            $0.purchases[0].originalTransactionIdentifier = "1"
        }
        let reversed = old.with { $0.creationDate += 259_200 }
        try await TestServer.with { server async throws in
            func cancellations(_ receipt: TestReceipt) async throws -> [String?] {
                let answer = try await server.post("/sandbox/verifyReceipt", request(try receipt.signed()))
                let elements = [answer.json["receipt"]?["in_app"], answer.json["latest_receipt_info"]]
                return elements.map { $0?[0]?["cancellation_date"]?.string }
            }
            #expect(try await cancellations(old) == [nil, nil])
            #expect(
                try await cancellations(refunded) == ["2024-07-03 00:00:00 Etc/GMT", "2024-07-03 00:00:00 Etc/GMT"])
            #expect(try await cancellations(old) == ["2024-07-03 00:00:00 Etc/GMT", "2024-07-03 00:00:00 Etc/GMT"])
            _ = try await cancellations(lagging)
            #expect(try await cancellations(old) == ["2024-07-03 00:00:00 Etc/GMT", "2024-07-03 00:00:00 Etc/GMT"])
            _ = try await cancellations(reversed)
            #expect(try await cancellations(old) == [nil, nil])
        }
    }
}
#endif
