import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Scenarios of the fake App Store server")
struct FakeScenarioTests {
    private static let scenario = """
        {
          "apps": [{ "bundleId": "com.example.second", "appAppleId": 99, "isApproved": true }],
          "customers": [
            {
              "transactions": [
                { "transactionId": "2", "originalTransactionId": "1", "productId": "com.example.plus",
                  "purchaseDate": "2024-07-01T12:00:00Z", "expiresDate": 1722513600000, "offerType": 1 },
                { "transactionId": "3", "productId": "com.example.coins", "type": "Consumable", "price": null }
              ],
              "renewalInfos": [{ "originalTransactionId": "1", "productId": "com.example.plus", "autoRenewStatus": 0 }],
              "appTransaction": { "appTransactionId": "77", "originalApplicationVersion": "2.5" },
              "finished": ["3"],
              "statuses": { "1": 4 }
            },
            {
              "bundleId": "com.example.second", "environment": "Production",
              "transactions": [{ "transactionId": "9", "productId": "com.example.pro" }],
              "orders": { "MK1": ["9"] }
            }
          ],
          "notifications": [
            { "notificationType": "DID_RENEW", "signedDate": "2024-07-01T12:00:00Z", "transactionId": "2",
              "sendAttempts": [{ "attemptDate": 1719835200000, "sendAttemptResult": "TLS_ISSUE" }] },
            { "notificationType": "RENEWAL_EXTENSION", "subtype": "SUMMARY", "signedDate": 1719835200001,
              "summary": { "bundleId": "com.example.app", "environment": "Sandbox" } }
          ]
        }
        """

    @Test("A scenario has customers, orders and notifications with Apple's member names")
    @available(AppStoreServerAPI 1.0, *)
    func scenario() async throws {
        let client = FakeStoreClient()
        try client.store.addScenario(Array(Self.scenario.utf8))
        let claims = try await client.send(.get, "/v1/transactions/2").claims("signedTransactionInfo")
        #expect(claims["purchaseDate"] == 1_719_835_200_000)
        #expect(claims["type"] == "Auto-Renewable Subscription")
        #expect(claims["offerType"] == 1)
        #expect(claims["bundleId"] == "com.example.app")
        let coins = try await client.send(.get, "/v1/transactions/3").claims("signedTransactionInfo")
        #expect(coins["type"] == "Consumable")
        #expect(coins["price"] == nil)
        #expect(client.store.finishedTransactions() == ["3"])
        #expect(try await client.send(.get, "/v1/subscriptions/77").statuses == ["1": 4])
        let app = try await client.send(.get, "/v1/transactions/appTransactions/2").claims("signedAppTransactionInfo")
        #expect(app["originalApplicationVersion"] == "2.5")

        let history = try await client.send(
            .post, "/v1/notifications/history", ["startDate": 1_719_830_000_000, "endDate": 1_719_932_645_000])
        let notifications = try history.notifications
        #expect(notifications.map { $0["notificationType"] } == ["DID_RENEW", "RENEWAL_EXTENSION"])
        let data = try #require(notifications.first?["data"]?.object)
        #expect(data["status"] == 4)
        let nested = try FakeStoreResponse.claims(of: #require(data["signedTransactionInfo"]?.string))
        #expect(nested["signedDate"] == 1_719_835_200_000)
        #expect(notifications.last?["data"] == nil)

        let second = client.with {
            $0.bundleIdentifier = "com.example.second"
            $0.environment = .production
        }
        let order = try await second.send(.get, "/v1/lookup/MK1")
        #expect(try order.transactions == ["9"])
        let bought = try FakeStoreResponse.claims(of: #require(order["signedTransactions"]?.array?.first?.string))
        #expect(bought["originalPurchaseDate"] == bought["purchaseDate"])
        #expect(try await second.send(.get, "/v2/history/9")["appAppleId"] == 99)
    }

    @Test(
        "An error names the member",
        arguments: [
            ("[]", "Expected a JSON object."), ("{", "The text isn't valid JSON, at byte 1."),
            (#"{"customers": {}}"#, "customers: Expected a list of objects."),
            (#"{"custmers": []}"#, "custmers: Unknown member. Expected one of apps, customers, notifications."),
            (
                #"{"apps": [{"bundleId": "com.example.app", "approved": false}]}"#,
                "apps[0].approved: Unknown member. Expected one of bundleId, appAppleId, isApproved."
            ),
            (
                #"{"customers": [{"enviroment": "Production"}]}"#,
                "customers[0].enviroment: Unknown member. Expected one of bundleId, environment, transactions, "
                    + "renewalInfos, appTransaction, finished, statuses, orders."
            ),
            (#"{"customers": [{"transactions": [{}]}]}"#, "customers[0].transactions[0].productId: Expected a text."),
            (#"{"customers": [1]}"#, "customers[0]: Expected an object."),
            (
                #"{"customers": [{"environment": "Xcode"}]}"#,
                "customers[0].environment: Expected Production or Sandbox."
            ),
            (
                #"{"customers": [{"appTransaction": {"originalPurchaseDate": "x"}}]}"#,
                "customers[0].appTransaction.originalPurchaseDate: Expected milliseconds since 1970 or RFC 3339."
            ),
            (
                #"{"notifications": [{"transactionId": "5"}]}"#,
                "notifications[0].transactionId: No customer of the app and environment has this transaction."
            ),
            (#"{"apps": [{}]}"#, "apps[0].bundleId: Expected a text."),
        ])
    @available(AppStoreServerAPI 1.0, *)
    func errors(_ scenario: String, _ description: String) throws {
        let store = FakeStoreClient().store
        let error = #expect(throws: FakeAppStoreServer.ScenarioError.self) {
            try store.addScenario(Array(scenario.utf8))
        }
        #expect(error?.description == description)
    }

    @Test("The sample has an active subscription and a refund in both environments")
    @available(AppStoreServerAPI 1.0, *)
    func sample() async throws {
        for environment in FakeAppStoreServer.Environment.allCases {
            let client = FakeStoreClient().with { $0.environment = environment }
            client.store.addSample()
            let statuses = try await client.send(.get, "/v1/subscriptions/2000000000000001").statuses
            #expect(statuses == ["2000000000000001": 1])
            #expect(try await client.send(.get, "/v2/history/704000000000000001").transactions.count == 6)
            let refunds = try await client.send(.get, "/v2/refund/lookup/2000000000000003").transactions
            #expect(refunds == ["2000000000000004"])
            let history = try await client.send(
                .post, "/v1/notifications/history", ["startDate": 1_717_000_000_000, "endDate": 1_719_932_645_000])
            #expect(try history.notifications.map { $0["notificationType"] } == ["DID_RENEW"])
        }
    }
}
