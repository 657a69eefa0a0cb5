import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Subscription statuses of the fake App Store server")
struct FakeStatusTests {
    private static let now = instant("2024-07-02T15:04:05Z")
    private static let day: TimeInterval = 86_400

    private func subscription(_ original: String, until days: Double) -> TestTransaction {
        TestTransaction("plus", transaction: original, at: Self.now - 30 * Self.day, until: Self.now + days * Self.day)
            .with { $0.overrides = ["appTransactionId": "77"] }
    }

    private func renewal(_ original: String, _ change: (inout TestRenewalInfo) -> Void) -> TestRenewalInfo {
        TestRenewalInfo("plus", original: original).with(change)
    }

    @available(AppStoreServerAPI 1.0, *)
    private func client() -> FakeStoreClient {
        let client = FakeStoreClient()
        client.store.add(
            subscription("1", until: 1), subscription("2", until: -1), subscription("3", until: -1),
            subscription("4", until: -1), subscription("5", until: 1).with { $0.revocationDate = Self.now - 60 },
            subscription("6", until: -60), subscription("7", until: -1),
            renewal("2") { $0.expirationIntent = .init(rawValue: 1) },
            renewal("3") { $0.isInBillingRetryPeriod = true },
            renewal("4") {
                $0.isInBillingRetryPeriod = true
                $0.gracePeriodExpirationDate = Self.now + 60
            },
            renewal("6") { $0.isInBillingRetryPeriod = true },
            TestTransaction("pro", transaction: "8").with { $0.overrides = ["appTransactionId": "77"] })
        return client
    }

    @Test("The status follows from the last period, its revocation, and the renewal information")
    @available(AppStoreServerAPI 1.0, *)
    func derived() async throws {
        let response = try await client().send(.get, "/v1/subscriptions/8")
        #expect(response.statuses == ["1": 1, "2": 2, "3": 3, "4": 4, "5": 5, "6": 2, "7": 2])
        #expect(response["environment"] == "Sandbox")
        #expect(response["bundleId"] == "com.example.app")
    }

    @Test("The status changes with the clock")
    @available(AppStoreServerAPI 1.0, *)
    func overTime() async throws {
        let client = client()
        client.advance(by: 61)
        #expect(try await client.send(.get, "/v1/subscriptions/1").statuses["4"] == 3, "The grace period is over")
        client.advance(by: Self.day)
        #expect(try await client.send(.get, "/v1/subscriptions/1").statuses["1"] == 2)
        client.advance(by: 58 * Self.day)
        #expect(
            try await client.send(.get, "/v1/subscriptions/1").statuses["3"] == 2, "Billing retry ends after 60 days")
    }

    @Test("A status can be set, and derived again")
    @available(AppStoreServerAPI 1.0, *)
    func set() async throws {
        let client = client()
        client.store.setStatus(.billingRetry, original: "1")
        #expect(try await client.send(.get, "/v1/subscriptions/1").statuses["1"] == 3)
        client.store.setStatus(nil, original: "1")
        #expect(try await client.send(.get, "/v1/subscriptions/1").statuses["1"] == 1)
    }

    @Test(
        "The filter selects subscriptions, and groups without any are omitted",
        arguments: [
            ("status=1", ["1"]), ("status=2&status=5", ["2", "5", "6", "7"]), ("status=4", ["4"]), ("", nil),
        ] as [(String, [String]?)])
    @available(AppStoreServerAPI 1.0, *)
    func filter(_ query: String, _ expected: [String]?) async throws {
        let response = try await client().send(.get, "/v1/subscriptions/1?\(query)")
        #expect(response.statuses.keys.sorted() == expected ?? ["1", "2", "3", "4", "5", "6", "7"])
    }

    @Test("A filter without results has no groups, and an unknown status is rejected", arguments: ["0", "6", "x", ""])
    @available(AppStoreServerAPI 1.0, *)
    func malformedFilter(_ status: String) async throws {
        #expect(try await client().code(.get, "/v1/subscriptions/1?status=\(status)") == 4_000_031)
        let none = FakeStoreClient()
        none.store.add(TestTransaction("pro", transaction: "1"))
        #expect(try await none.send(.get, "/v1/subscriptions/1?status=1")["data"] == [])
    }

    @Test("Each group has its subscriptions with the last period, signed now")
    @available(AppStoreServerAPI 1.0, *)
    func contents() async throws {
        let client = FakeStoreClient()
        let end = Self.now + Self.day
        client.store.add(
            TestTransaction("plus", transaction: "2", original: "1", at: Self.now - Self.day, until: end),
            TestTransaction("plus", transaction: "1", at: Self.now - 31 * Self.day, until: Self.now - Self.day),
            TestTransaction("news", transaction: "3", original: "1", at: Self.now - 2 * Self.day, until: end))
        let response = try await client.send(.get, "/v1/subscriptions/1")
        let groups = try #require(response["data"]?.array)
        #expect(groups.count == 1)
        #expect(groups[0].object?["subscriptionGroupIdentifier"] == "21000001")
        let items = try #require(groups[0].object?["lastTransactions"]?.array)
        #expect(items.count == 1)
        let transaction = try FakeStoreResponse.claims(of: #require(items[0].object?["signedTransactionInfo"]?.string))
        #expect(transaction["transactionId"] == "2")
        #expect(transaction["signedDate"] == 1_719_932_645_000)
        let renewal = try FakeStoreResponse.claims(of: #require(items[0].object?["signedRenewalInfo"]?.string))
        #expect(renewal["originalTransactionId"] == "1")
        #expect(renewal["autoRenewStatus"] == 1)
        #expect(renewal["renewalDate"] == transaction["expiresDate"])
        #expect(renewal["signedDate"] == 1_719_932_645_000)
    }
}
