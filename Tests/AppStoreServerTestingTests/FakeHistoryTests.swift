import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Histories of the fake App Store server")
struct FakeHistoryTests {
    private static let start = instant("2024-06-01T00:00:00Z")

    /// A customer with the transactions 1 to `count`, one for each hour.
    @available(AppStoreServerAPI 1.0, *)
    private func client(_ count: Int) -> FakeStoreClient {
        let client = FakeStoreClient()
        for number in 1...count {
            client.store.add(
                TestTransaction(
                    "com.example.coins", transaction: String(number), at: Self.start + 3600 * Double(number)
                )
                .with {
                    $0.productType = .consumable
                    $0.overrides = ["appTransactionId": "77"]
                })
        }
        return client
    }

    /// Requests all pages.
    @available(AppStoreServerAPI 1.0, *)
    private func pages(
        _ client: FakeStoreClient, _ path: String, revision: String? = nil
    ) async throws -> (pages: [[String]], revision: String) {
        var pages: [[String]] = []
        var revision = revision
        while pages.count < 10 {
            let separator = path.contains("?") ? "&" : "?"
            let response = try await client.send(.get, path + (revision.map { "\(separator)revision=\($0)" } ?? ""))
            #expect(response.status == 200)
            pages.append(try response.transactions)
            revision = try #require(response["revision"]?.string)
            if response["hasMore"]?.boolean == false { break }
        }
        return (pages, revision ?? "")
    }

    @Test("Pages have 20 transactions, and a complete last page has no successor", arguments: [1, 19, 20, 21, 40, 45])
    @available(AppStoreServerAPI 1.0, *)
    func pageSizes(_ count: Int) async throws {
        let client = client(count)
        for sort in ["ASCENDING", "DESCENDING"] {
            let (pages, _) = try await pages(client, "/v2/history/77?sort=\(sort)")
            let all = (1...count).map { String($0) }
            #expect(pages.flatMap { $0 } == (sort == "ASCENDING" ? all : all.reversed()))
            #expect(pages.count == (count + 19) / 20)
            #expect(pages.dropLast().allSatisfy { $0.count == 20 })
        }
    }

    @Test(
        "The last revision returns nothing until a transaction changes, and then only that",
        arguments: ["ASCENDING", "DESCENDING"])
    @available(AppStoreServerAPI 1.0, *)
    func changesSince(_ sort: String) async throws {
        let client = client(25)
        let path = "/v2/history/77?sort=\(sort)"
        let (_, last) = try await pages(client, path)
        #expect(try await pages(client, path, revision: last).pages == [[]])
        let refunded = TestTransaction("com.example.coins", transaction: "3", at: Self.start).with {
            $0.revocationDate = Self.start + 60
            $0.overrides = ["appTransactionId": "77"]
        }
        client.store.add(refunded)
        let bought = TestTransaction("com.example.pro", transaction: "99", at: Self.start).with {
            $0.overrides = ["appTransactionId": "77"]
        }
        client.store.add(bought)
        let (changed, next) = try await pages(client, path, revision: last)
        #expect(changed == [sort == "ASCENDING" ? ["3", "99"] : ["99", "3"]])
        #expect(try await pages(client, path, revision: next).pages == [[]])
    }

    @Test(
        "A change between two pages is returned at the end or later, and no transaction is lost",
        arguments: ["ASCENDING", "DESCENDING"])
    @available(AppStoreServerAPI 1.0, *)
    func changesBetweenPages(_ sort: String) async throws {
        let client = client(30)
        let path = "/v2/history/77?sort=\(sort)"
        let first = try await client.send(.get, path)
        let revision = try #require(first["revision"]?.string)
        client.store.add(
            TestTransaction("com.example.pro", transaction: "31").with { $0.overrides = ["appTransactionId": "77"] })
        let (rest, last) = try await pages(client, path, revision: revision)
        let later = try await pages(client, path, revision: last).pages
        let all = try first.transactions + rest.flatMap { $0 } + later.flatMap { $0 }
        #expect(all.count == 31)
        #expect(Set(all).count == 31)
    }

    @Test("A revision is valid only for the request that it was made for")
    @available(AppStoreServerAPI 1.0, *)
    func foreignRevisions() async throws {
        let client = client(25)
        client.store.add(TestTransaction("com.example.pro", transaction: "500"))
        let response = try await client.send(.get, "/v2/history/77?productId=a&productId=com.example.coins")
        let revision = try #require(response["revision"]?.string)
        let path = "/v2/history/77?revision=\(revision)"
        #expect(try await client.code(.get, path) == 4_000_005)
        #expect(try await client.code(.get, path + "&productId=com.example.coins") == 4_000_005)
        #expect(try await client.code(.get, path + "&productId=com.example.coins&productId=a") == nil)
        let same = "&productId=a&productId=com.example.coins"
        #expect(try await client.code(.get, path + same + "&sort=DESCENDING") == 4_000_005)
        #expect(try await client.code(.get, "/v2/history/1?revision=\(revision)" + same) == nil)
        #expect(try await client.code(.get, "/v2/history/500?revision=\(revision)" + same) == 4_000_005)
        #expect(try await client.code(.get, "/v2/refund/lookup/77?revision=\(revision)") == 4_000_005)
        #expect(try await client.code(.get, "/v2/history/77?revision=anything" + same) == 4_000_005)
        #expect(try await client.code(.get, "/v2/history/77?revision=" + same) == 4_000_005)
    }

    @available(AppStoreServerAPI 1.0, *)
    private func mixed() -> FakeStoreClient {
        let client = FakeStoreClient()
        let (start, day) = (Self.start, 86_400.0)
        client.store.add(
            TestTransaction("sub", transaction: "1", at: start, until: start + 30 * day),
            TestTransaction("sub2", transaction: "2", at: start + day, until: start + 31 * day)
                .with { $0.subscriptionGroupIdentifier = "g2" },
            TestTransaction("coins", transaction: "3", at: start + 2 * day).with { $0.productType = .consumable },
            TestTransaction("pro", transaction: "4", at: start + 3 * day).with { $0.ownership = .familyShared },
            TestTransaction("pass", transaction: "5", at: start + 4 * day)
                .with { $0.productType = .nonRenewingSubscription },
            TestTransaction("tools", transaction: "6", at: start + 5 * day)
                .with { $0.revocationDate = start + 6 * day },
            TestAppTransaction())
        return client
    }

    @Test(
        "Filters select transactions",
        arguments: [
            ("", "123456"), ("productId=sub&productId=coins", "13"), ("productType=AUTO_RENEWABLE", "12"),
            ("productType=CONSUMABLE&productType=NON_RENEWABLE", "35"), ("productType=NON_CONSUMABLE", "46"),
            ("subscriptionGroupIdentifier=g2", "2"), ("inAppOwnershipType=FAMILY_SHARED", "4"),
            ("inAppOwnershipType=PURCHASED", "12356"), ("revoked=true", "6"), ("revoked=False", "12345"),
            ("startDate=1717372800000", "3456"), ("endDate=1717372800000", "12"),
            ("startDate=1717286400000&endDate=1717372800001", "23"), ("productType=CONSUMABLE&productId=pro", ""),
            ("sort=DESCENDING", "654321"), ("sort=ASCENDING", "123456"), ("unknown=1", "123456"),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func filters(_ query: String, _ expected: String) async throws {
        let response = try await mixed().send(.get, "/v2/history/3?\(query)")
        #expect(try response.transactions.joined() == expected)
        #expect(response["hasMore"] == false)
        #expect(response["environment"] == "Sandbox")
        #expect(response["bundleId"] == "com.example.app")
        #expect(response["appAppleId"] == nil)
    }

    @Test(
        "Malformed filters are rejected with their codes",
        arguments: [
            ("startDate=x", 4_000_015), ("startDate=1.5", 4_000_015), ("endDate=-1", 4_000_016),
            ("startDate=2&endDate=1", 4_000_013), ("productId=", 4_000_023), ("productType=consumable", 4_000_022),
            ("sort=UP", 4_000_021), ("subscriptionGroupIdentifier=", 4_000_024), ("inAppOwnershipType=MINE", 4_000_026),
            ("revoked=1", 4_000_030),
        ] as [(String, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func malformedFilters(_ query: String, _ code: Int64) async throws {
        #expect(try await mixed().code(.get, "/v2/history/3?\(query)") == code)
    }

    @Test("Any identifier leads to the customer, and others don't")
    @available(AppStoreServerAPI 1.0, *)
    func identifiers() async throws {
        let client = mixed()
        client.store.add(TestTransaction("sub", transaction: "11", original: "10", until: Self.start + 1))
        for identifier in ["1", "6", "704000000000000001"] {
            #expect(try await client.send(.get, "/v2/history/\(identifier)").transactions.count == 6)
        }
        for identifier in ["10", "11"] {
            #expect(try await client.send(.get, "/v2/history/\(identifier)").transactions == ["11"])
        }
        #expect(try await client.code(.get, "/v2/history/12") == 4_040_010)
        #expect(try await client.code(.get, "/v2/history/abc") == 4_000_006)
        #expect(try await client.code(.get, "/v2/history/123456789012345678901") == 4_000_006)
        #expect(try await client.with { $0.environment = .production }.code(.get, "/v2/history/1") == 4_040_010)
    }

    @Test("Histories list finished consumables")
    @available(AppStoreServerAPI 1.0, *)
    func finishedConsumables() async throws {
        let client = mixed()
        for identifier in ["3", "4"] {
            #expect(try await client.send(.post, "/v1/transactions/\(identifier)/finish").status == 200)
        }
        #expect(try await client.send(.get, "/v2/history/1").transactions.joined() == "123456")
        #expect(client.store.finishedTransactions() == ["3", "4"])
    }

    @Test("Refund histories have the refunded transactions, in pages")
    @available(AppStoreServerAPI 1.0, *)
    func refunds() async throws {
        let client = client(45)
        for number in 1...45 where number % 2 == 1 {
            client.store.add(
                TestTransaction("com.example.coins", transaction: String(number)).with {
                    $0.revocationDate = Self.start
                    $0.overrides = ["appTransactionId": "77"]
                })
        }
        client.store.add(
            TestTransaction("com.example.family", transaction: "60").with {
                $0.revocationDate = Self.start
                $0.overrides = ["appTransactionId": "77", "revocationType": "FAMILY_REVOKE"]
            })
        let (pages, last) = try await pages(client, "/v2/refund/lookup/77")
        #expect(pages.map(\.count) == [20, 3])
        #expect(try await self.pages(client, "/v2/refund/lookup/2", revision: last).pages == [[]])
        #expect(try await client.code(.get, "/v2/refund/lookup/999") == 4_040_010)
    }

    @Test("Production names the app's App Store identifier")
    @available(AppStoreServerAPI 1.0, *)
    func production() async throws {
        let client = FakeStoreClient().with { $0.environment = .production }
        client.store.add(TestTransaction("pro", transaction: "1").with { $0.environment = .production })
        let response = try await client.send(.get, "/v2/history/1")
        #expect(response["environment"] == "Production")
        #expect(response["appAppleId"] == 1_234_567_890)
    }
}
