#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import HTTPTypes
import Testing

@testable import AppReceiptServer

@Suite("PurchaseRoutes")
struct PurchaseRoutesTests {
    /// A period of a subscription whose original transaction is 100.
    private func period(_ transaction: String, from start: String, to end: String, signed: String) -> TestTransaction {
        TestTransaction(
            "com.example.monthly", transaction: transaction, original: "100", at: instant(start), until: instant(end)
        ).with { $0.signedDate = instant(signed) }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase is found by each of its transactions, with its transactions newest first and what was seen")
    func purchase() async throws {
        let first = period(
            "100", from: "2024-06-01T00:00:00Z", to: "2024-07-01T00:00:00Z", signed: "2024-06-01T00:00:01Z")
        let second = period(
            "101", from: "2024-07-01T00:00:00Z", to: "2024-08-01T00:00:00Z", signed: "2024-07-01T00:00:01Z")
        let notification = try TestNotification(type: .didRenew).with {
            $0.signedDate = second.signedDate
            $0.signedTransactionInfo = try second.signed()
        }.signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": [.string(try first.signed())]])
            _ = try await server.post("/v1/notifications", ["signedPayload": .string(notification)])
            let purchase = try await server.get("/v1/purchases/101").json
            #expect(try await server.get("/v1/purchases/100").json["transactions"] == purchase["transactions"])
            #expect(purchase["originalTransactionIdentifier"]?.string == "100")
            #expect(purchase["bundleIdentifier"]?.string == "com.example.app")
            #expect(purchase["environment"]?.string == "sandbox")
            #expect(purchase["account"]?.string == "42")
            #expect(purchase["products"]?.array?.map { $0["productIdentifier"]?.string } == ["com.example.monthly"])
            #expect(purchase["products"]?[0]?["bundleIdentifier"] == nil)
            let transactions = purchase["transactions"]?.array
            #expect(transactions?.map { $0["transactionId"]?.string } == ["101", "100"])
            #expect(transactions?[0]["price"]?.number?.int64 == 10990)
            let evidence = purchase["evidence"]?.array ?? []
            #expect(evidence.contains { $0["kind"]?.string == "transaction" })
            let notifications = evidence.filter { $0["kind"]?.string == "notification" }
            #expect(notifications.map { $0["notificationType"]?.string } == ["DID_RENEW"])
            #expect(notifications.first?["signedDate"]?.string == "2024-07-01T00:00:01Z")
        }
    }

    private func owned(_ transaction: String, app: String = "com.example.app") throws -> AppStoreJSON {
        .string(
            try TestTransaction("com.example.pro", transaction: transaction).with { $0.bundleIdentifier = app }
                .signed())
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Every purchase is listed once, page by page, with its account and what its last event told")
    func list() async throws {
        try await TestServer.with { server async throws in
            let evidence = try (71...75).map { try owned("\($0)") }
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": .array(evidence)])
            var (purchases, cursor): ([AppStoreJSON], String?) = ([], "")
            for _ in 0..<4 {
                guard let after = cursor else { break }
                let page = try await server.get("/v1/purchases?limit=2" + (after.isEmpty ? "" : "&after=\(after)")).json
                #expect(page["events"]?.string == "5")
                purchases += page["purchases"]?.array ?? []
                cursor = page["next"]?.string
            }
            #expect(cursor == nil)
            #expect(purchases.map { $0["originalTransactionIdentifier"]?.string } == ["71", "72", "73", "74", "75"])
            #expect(purchases.allSatisfy { $0["account"]?.string == "42" })
            let last = try await server.get("/v1/events?after=4").json["events"]?[0]
            #expect(purchases.last?["products"]?[0] == last?["after"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("With Accept: application/x-ndjson each line is a purchase, and others don't make an answer shorter")
    func lines() async throws {
        try await TestServer.with { server async throws in
            let evidence = try (71...74).map {
                try owned("\($0)", app: $0 < 73 ? "com.example.app" : "com.example.other")
            }
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": .array(evidence)])
            func lines(_ query: String) async throws -> [AppStoreJSON] {
                let response = try await server.get(
                    "/v1/purchases?bundle-id=com.example.other&limit=1" + query,
                    headers: ["Accept": "application/x-ndjson"])
                #expect(response.headers["content-type"] == "application/x-ndjson")
                return try response.text.split(separator: "\n").map { try AppStoreJSON(parsing: Array($0.utf8)[...]) }
            }
            var (originals, cursor): ([String?], String?) = ([], nil)
            for _ in 0..<3 {
                let page = try await lines(cursor.map { "&after=\($0)" } ?? "")
                #expect(page.count == (originals.count < 2 ? 1 : 0))
                originals += page.map { $0["originalTransactionIdentifier"]?.string }
                cursor = page.last?["cursor"]?.string
            }
            #expect(originals == ["73", "74"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The list contains only the requested apps and environments, and nothing of a forgotten account")
    func listedApps() async throws {
        try await TestServer.with { server async throws in
            func listed(_ query: String = "") async throws -> [String?]? {
                try await server.get("/v1/purchases" + query).json["purchases"]?.array?.map {
                    $0["originalTransactionIdentifier"]?.string
                }
            }
            let evidence = [try owned("71"), try owned("72", app: "com.example.other")]
            _ = try await server.post("/v1/accounts/42/evidence", ["evidence": .array(evidence)])
            #expect(try await listed() == ["71", "72"])
            #expect(try await listed("?bundle-id=com.example.other") == ["72"])
            #expect(try await listed("?environment=production") == [])
            _ = try await server.send(.delete, "/v1/accounts/42")
            #expect(server.log.text.contains("An account was forgotten"))
            #expect(server.log.text.contains("\"purchases\": 2"))
            #expect(try await listed() == [])
            #expect(try await server.send(.delete, "/v1/accounts/42").errorCode == "account-unknown")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A former owner is forgotten too: its name in events, and none of its purchases")
    func formerOwner() async throws {
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/accounts/ann/evidence", ["evidence": [try owned("71")]])
            #expect(try await server.send(.put, "/v1/accounts/ben/purchases/71").status == 204)
            let forgotten = try await server.send(.delete, "/v1/accounts/ann")
            #expect(forgotten.json == ["purchases": 0])
            let events = try await server.get("/v1/events").json["events"]?.array
            #expect(events?.map { $0["account"]?.string } == [nil, "ben"])
            #expect(events?.map { $0["formerAccount"]?.string } == [nil, nil])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A cursor that wasn't given out is an error",
        arguments: ["after=", "after=x", "after=xcode:com.example.app:1", "after=sandbox:com.example.app"])
    func malformedCursor(query: String) async throws {
        try await TestServer.with { server async throws in
            #expect(try await server.get("/v1/purchases?" + query).errorCode == "cursor-malformed")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A cursor is divided at its colons, whatever follows them")
    func combiningCursor() async throws {
        try await TestServer.with { server async throws in
            // U+1F3FB, a modifier, and the colon before it are one character.
            let answer = try await server.get("/v1/purchases?after=sandbox%3A%F0%9F%8F%BB%3A1")
            #expect(answer.json["purchases"] == [])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase that only a receipt contains has its transactions in the names of signed ones")
    func fromReceipt() async throws {
        let receipt = try TestReceipt().with {
            $0.purchases = [
                TestPurchase(
                    subscription: "com.example.monthly", transaction: "100", from: instant("2024-06-01T00:00:00Z"),
                    to: instant("2024-07-01T00:00:00Z"))
            ]
        }.signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/receipts/validate", receipt)
            let purchase = try await server.get("/v1/purchases/100").json
            #expect(purchase["account"] == .null)
            #expect(purchase["transactions"]?[0]?["productId"]?.string == "com.example.monthly")
            #expect(purchase["transactions"]?[0]?["expiresDate"]?.number?.int64 == 1_719_792_000_000)
            #expect(purchase["evidence"]?.array?.map { $0["kind"]?.string } == ["receipt"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An unknown purchase, and one outside of the requested apps and environments, is unknown",
        arguments: [
            "/v1/purchases/999", "/v1/purchases/77?environment=production",
            "/v1/purchases/77?bundle-id=com.example.other",
        ])
    func unknown(path: String) async throws {
        let token = try TestTransaction("com.example.pro", transaction: "77").signed()
        try await TestServer.with { server async throws in
            _ = try await server.post("/v1/signed-data/verify", Array(token.utf8))
            #expect(try await server.get("/v1/purchases/77").status == 200)
            let response = try await server.get(path)
            #expect(response.status == 404)
            #expect(response.errorCode == "purchase-unknown")
        }
    }
}
#endif
