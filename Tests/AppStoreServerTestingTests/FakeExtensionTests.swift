import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Extended renewal dates of the fake App Store server")
struct FakeExtensionTests {
    private static let now = instant("2024-07-02T15:04:05Z")
    private static let end = now + 86_400

    @available(AppStoreServerAPI 1.0, *)
    private func client() -> FakeStoreClient {
        let client = FakeStoreClient()
        client.store.add(
            TestTransaction("plus", transaction: "2", original: "1", at: Self.now, until: Self.end)
                .with { $0.overrides = ["webOrderLineItemId": "500"] },
            TestRenewalInfo("plus", original: "1").with { $0.renewalDate = Self.end },
            TestTransaction("pro", transaction: "3"))
        client.store.add(TestTransaction("plus", transaction: "4", at: Self.now - 60, until: Self.now - 1))
        client.store.add(
            TestTransaction("plus", transaction: "5", until: Self.end).with { $0.ownership = .familyShared })
        client.store.add(
            TestTransaction("plus", transaction: "6", until: Self.end).with { $0.overrides = ["storefront": "DEU"] })
        client.store.add(
            TestTransaction("plus", transaction: "7", until: Self.end)
                .with { $0.overrides = ["inAppOwnershipType": "ASSIGNED"] })
        return client
    }

    private func body(_ identifier: String = "r1", days: Int64 = 5) -> AppStoreJSON.Object {
        [
            "extendByDays": .number(AppStoreJSON.Number(days)), "extendReasonCode": 1,
            "requestIdentifier": .string(identifier),
        ]
    }

    @Test("An extension moves expiration and renewal, and is in the history of transactions and notifications")
    @available(AppStoreServerAPI 1.0, *)
    func extended() async throws {
        let client = client()
        let revision = try #require(try await client.send(.get, "/v2/history/1")["revision"]?.string)
        let response = try await client.send(.put, "/v1/subscriptions/extend/1", body())
        let expected = AppStoreJSON.number(
            AppStoreJSON.Number(Int64(Self.end.timeIntervalSince1970 + 5 * 86_400) * 1000))
        #expect(
            response.json == [
                "originalTransactionId": "1", "success": true, "effectiveDate": expected, "webOrderLineItemId": "500",
            ])
        let claims = try await client.send(.get, "/v1/transactions/2").claims("signedTransactionInfo")
        #expect(claims["expiresDate"] == expected)
        #expect(try await client.send(.get, "/v2/history/1?revision=\(revision)").transactions == ["2"])
        let status = try await client.send(.get, "/v1/subscriptions/1")
        let item = status["data"]?.array?.first?.object?["lastTransactions"]?.array?.first?.object
        let renewal = try FakeStoreResponse.claims(of: #require(item?["signedRenewalInfo"]?.string))
        #expect(renewal["renewalDate"] == expected)
        let history = try await client.send(
            .post, "/v1/notifications/history",
            ["startDate": 1_719_932_645_000, "endDate": 1_719_932_645_000, "transactionId": "1"])
        #expect(try history.notifications.map { $0["notificationType"] } == ["RENEWAL_EXTENDED"])
    }

    @Test("A repeated request has the same response and no further effect, and a third extension is rejected")
    @available(AppStoreServerAPI 1.0, *)
    func repeated() async throws {
        let client = client()
        let first = try await client.send(.put, "/v1/subscriptions/extend/1", body())
        #expect(try await client.send(.put, "/v1/subscriptions/extend/1", body()).json == first.json)
        #expect(try await client.code(.put, "/v1/subscriptions/extend/1", body("r2", days: 90)) == nil)
        #expect(try await client.code(.put, "/v1/subscriptions/extend/1", body("r3")) == 4_030_005)
        #expect(try await client.send(.put, "/v1/subscriptions/extend/1", body()).json == first.json)
    }

    @Test(
        "Subscriptions that aren't eligible are rejected with their codes",
        arguments: [
            ("3", 4_030_004), ("4", 4_030_004), ("5", 4_030_007), ("7", 4_030_028), ("2", 4_040_005), ("8", 4_040_005),
            ("x", 4_000_008),
        ] as [(String, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func ineligible(_ original: String, _ code: Int64) async throws {
        #expect(try await client().code(.put, "/v1/subscriptions/extend/\(original)", body()) == code)
    }

    @Test(
        "Both requests check each member",
        arguments: [
            ("extendByDays", 0, 4_000_009), ("extendByDays", 91, 4_000_009), ("extendByDays", "5", 4_000_009),
            ("extendByDays", 90, nil), ("extendByDays", 1, nil), ("extendReasonCode", 4, 4_000_010),
            ("extendReasonCode", .null, 4_000_010), ("extendReasonCode", 3, nil), ("requestIdentifier", "", 4_000_011),
            ("requestIdentifier", .null, 4_000_011),
            ("requestIdentifier", .string(String(repeating: "a", count: 128)), nil),
            ("requestIdentifier", .string(String(repeating: "a", count: 129)), 4_000_011),
        ] as [(String, AppStoreJSON, Int64?)])
    @available(AppStoreServerAPI 1.0, *)
    func members(_ name: String, _ value: AppStoreJSON, _ code: Int64?) async throws {
        var body = body()
        body[name] = value == .null ? nil : value
        let client = client()
        #expect(try await client.code(.put, "/v1/subscriptions/extend/1", body) == code)
        body["productId"] = "plus"
        #expect(try await client.code(.post, "/v1/subscriptions/extend/mass", body) == code)
    }

    @Test("A mass extension extends the active subscriptions of the product, and counts the others")
    @available(AppStoreServerAPI 1.0, *)
    func mass() async throws {
        let client = client()
        var body = body("m1")
        body["productId"] = "plus"
        for _ in 1...2 {
            let response = try await client.send(.post, "/v1/subscriptions/extend/mass", body)
            #expect(response.json == ["requestIdentifier": "m1"])
        }
        let status = try await client.send(.get, "/v1/subscriptions/extend/mass/plus/m1")
        #expect(
            status.json == [
                "requestIdentifier": "m1", "complete": true, "completeDate": 1_719_932_645_000, "succeededCount": 2,
                "failedCount": 2,
            ])
        let history = try await client.send(
            .post, "/v1/notifications/history", ["startDate": 1_719_932_645_000, "endDate": 1_719_932_645_000])
        let notifications = try history.notifications
        #expect(notifications.map { $0["subtype"] } == ["SUMMARY"])
        #expect(notifications.first?["summary"]?.object?["succeededCount"] == 2)
        #expect(try await client.code(.get, "/v1/subscriptions/extend/mass/plus/m2") == 4_040_009)
        #expect(try await client.code(.get, "/v1/subscriptions/extend/mass/other/m1") == 4_040_009)
    }

    @Test(
        "Storefronts restrict a mass extension",
        arguments: [
            (["DEU"], nil, 1), (["USA", "DEU"], nil, 2), ([], 4_000_027, 0), (["de"], 4_000_028, 0),
            ([1], 4_000_028, 0), (["FRA"], nil, 0),
        ] as [(AppStoreJSON, Int64?, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func storefronts(_ codes: AppStoreJSON, _ code: Int64?, _ succeeded: Int64) async throws {
        let client = client()
        var body = body("m1")
        body["productId"] = "plus"
        body["storefrontCountryCodes"] = codes
        #expect(try await client.code(.post, "/v1/subscriptions/extend/mass", body) == code)
        guard code == nil else { return }
        let status = try await client.send(.get, "/v1/subscriptions/extend/mass/plus/m1")
        #expect(status["succeededCount"]?.number?.int64 == succeeded)
    }

    @Test("A mass extension requires a product")
    @available(AppStoreServerAPI 1.0, *)
    func product() async throws {
        #expect(try await client().code(.post, "/v1/subscriptions/extend/mass", body()) == 4_000_023)
    }
}
