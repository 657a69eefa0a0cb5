import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import Foundation
import Testing

@Suite("Notifications of the fake App Store server")
struct FakeNotificationTests {
    private static let now = instant("2024-07-02T15:04:05Z")

    private static func body(_ changes: AppStoreJSON.Object = [:]) -> AppStoreJSON.Object {
        let end = Int64(now.timeIntervalSince1970) * 1000
        var body: AppStoreJSON.Object = [
            "startDate": .number(AppStoreJSON.Number(end - 86_400_000 * 180)),
            "endDate": .number(AppStoreJSON.Number(end)),
        ]
        for change in changes.members { body[change.name] = change.value == .null ? nil : change.value }
        return body
    }

    /// A fake with 45 notifications, one for each minute; every fifth was not delivered.
    @available(AppStoreServerAPI 1.0, *)
    private func client(_ count: Int = 45) throws -> FakeStoreClient {
        let client = FakeStoreClient(paginationTokenLifetime: 60)
        for number in (1...count).reversed() {
            let date = Self.now - 60 * Double(number)
            let notification = try TestNotification(type: number % 2 == 0 ? .didRenew : .subscribed).with {
                $0.subtype = number % 2 == 0 ? nil : .initialBuy
                $0.notificationUUID = String(number)
                $0.signedDate = date
                $0.signedTransactionInfo = try TestTransaction(
                    "plus", transaction: String(1000 + number), original: String(number % 3), until: Self.now
                ).signed()
            }
            let attempts = number % 5 == 0 ? [FakeAppStoreServer.SendAttempt(date, result: "NO_RESPONSE")] : nil
            client.store.addNotification(notification, attempts: attempts)
        }
        return client
    }

    @Test("Pages have 20 notifications in the order of their dates, signed when they were sent")
    @available(AppStoreServerAPI 1.0, *)
    func pages() async throws {
        let client = try client()
        var all: [AppStoreJSON.Object] = []
        var sizes: [Int] = []
        var token: String?
        repeat {
            let query = token.map { "?paginationToken=\($0)" } ?? ""
            let response = try await client.send(.post, "/v1/notifications/history" + query, Self.body())
            let page = try response.notifications
            all += page
            sizes.append(page.count)
            token = response["paginationToken"]?.string
            #expect(response["hasMore"]?.boolean == (token != nil))
        } while token != nil && sizes.count < 5
        #expect(sizes == [20, 20, 5])
        #expect(all.map { $0["notificationUUID"]?.string } == (1...45).reversed().map { String($0) })
        #expect(all.last?["signedDate"]?.number?.int64 == Int64(Self.now.timeIntervalSince1970 - 60) * 1000)
    }

    @Test("A pagination token expires, and is valid only for its body")
    @available(AppStoreServerAPI 1.0, *)
    func paginationTokens() async throws {
        let client = try client()
        let first = try await client.send(.post, "/v1/notifications/history", Self.body())
        let path = "/v1/notifications/history?paginationToken=\(try #require(first["paginationToken"]?.string))"
        client.advance(by: 59)
        #expect(try await client.code(.post, path, Self.body(["startDate": 1_719_900_000_000])) == 4_000_014)
        // The start is now 59 seconds too far in the past.
        let later = Self.body(["startDate": 1_719_900_000_001])
        #expect(try await client.code(.post, path, later) == 4_000_014)
        #expect(try await client.code(.post, "/v1/notifications/history?paginationToken=x", later) == 4_000_014)
        let fresh = try await client.send(.post, "/v1/notifications/history", later)
        let next = "/v1/notifications/history?paginationToken=\(try #require(fresh["paginationToken"]?.string))"
        client.advance(by: 59)
        #expect(try await client.code(.post, next, later) == nil)
        client.advance(by: 1)
        #expect(try await client.code(.post, next, later) == 4_000_017)
    }

    @Test("A notification that is added between two pages doesn't shift them")
    @available(AppStoreServerAPI 1.0, *)
    func insertion() async throws {
        let client = try client(25)
        let first = try await client.send(.post, "/v1/notifications/history", Self.body())
        client.store.addNotification(TestNotification().with { $0.signedDate = Self.now - 86_400 })
        let path = "/v1/notifications/history?paginationToken=\(try #require(first["paginationToken"]?.string))"
        let second = try await client.send(.post, path, Self.body()).notifications
        #expect(second.map { $0["notificationUUID"]?.string } == ["5", "4", "3", "2", "1"])
    }

    @Test(
        "Filters select notifications",
        arguments: [
            (["notificationType": "DID_RENEW"], 7),
            (["notificationType": "SUBSCRIBED", "notificationSubtype": "INITIAL_BUY"], 8),
            (["notificationType": "SUBSCRIBED", "notificationSubtype": "RESUBSCRIBE"], 0),
            (["transactionId": "1007"], 1), (["transactionId": "2"], 5), (["onlyFailures": true], 3),
            (["onlyFailures": false], 15), (["startDate": 1_719_932_345_000], 5), (["endDate": 1_719_932_345_000], 11),
            (["endDate": 9_999_999_999_999], 15), (["notificationType": "TEST"], 0),
            (["startDate": 1_800_000_000_000, "endDate": 1_800_000_000_001], 0),
        ] as [(AppStoreJSON.Object, Int)])
    @available(AppStoreServerAPI 1.0, *)
    func filters(_ changes: AppStoreJSON.Object, _ count: Int) async throws {
        let response = try await client(15).send(.post, "/v1/notifications/history", Self.body(changes))
        #expect(try response.notifications.count == count)
        #expect(response["hasMore"] == false)
    }

    @Test(
        "Malformed bodies are rejected with their codes",
        arguments: [
            (["startDate": .null], 4_000_015), (["endDate": "x"], 4_000_016),
            (["startDate": .number(AppStoreJSON.Number(1.5))], 4_000_015),
            (["startDate": 1_704_380_644_999], 4_000_012), (["endDate": 1_704_380_644_999], 4_000_013),
            (["notificationType": "MOON"], 4_000_018), (["notificationSubtype": "INITIAL_BUY"], 4_000_018),
            (["notificationType": "SUBSCRIBED", "notificationSubtype": "MOON"], 4_000_018),
            (["notificationType": "TEST", "transactionId": "1"], 4_000_019), (["transactionId": "x"], 4_000_006),
            (["onlyFailures": "yes"], 4_000_000),
        ] as [(AppStoreJSON.Object, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func malformed(_ changes: AppStoreJSON.Object, _ code: Int64) async throws {
        #expect(try await client(1).code(.post, "/v1/notifications/history", Self.body(changes)) == code)
        #expect(try await client(1).code(.post, "/v1/notifications/history") == 4_000_000)
    }

    @Test("Attempts are in the history, at most six")
    @available(AppStoreServerAPI 1.0, *)
    func attempts() async throws {
        let client = FakeStoreClient()
        let attempts = (0..<7).map { FakeAppStoreServer.SendAttempt(Self.now + Double($0), result: "TIMED_OUT") }
        client.store.addNotification(TestNotification(), attempts: attempts)
        let response = try await client.send(.post, "/v1/notifications/history", Self.body(["onlyFailures": true]))
        let sent = response["notificationHistory"]?.array?.first?.object?["sendAttempts"]?.array
        #expect(sent?.count == 6)
        #expect(sent?.first == ["attemptDate": 1_719_932_645_000, "sendAttemptResult": "TIMED_OUT"])
    }

    @Test("A test notification is delivered, has a status, and is in the history")
    @available(AppStoreServerAPI 1.0, *)
    func testNotification() async throws {
        for environment in FakeAppStoreServer.Environment.allCases {
            let client = FakeStoreClient().with { $0.environment = environment }
            let token = try #require(
                try await client.send(.post, "/v1/notifications/test")["testNotificationToken"]?.string)
            let status = try await client.send(.get, "/v1/notifications/test/\(token)")
            let claims = try status.claims("signedPayload")
            #expect(claims["notificationType"] == "TEST")
            #expect(claims["data"]?.object?["environment"]?.string == environment.rawValue)
            #expect((claims["data"]?.object?["appAppleId"] != nil) == (environment == .production))
            #expect(
                status["sendAttempts"] == [["attemptDate": 1_719_932_645_000, "sendAttemptResult": "SUCCESS"]])
            let history = try await client.send(.post, "/v1/notifications/history", Self.body())
            #expect(try history.notifications == [claims])
            let other = client.with { $0.environment = environment == .sandbox ? .production : .sandbox }
            #expect(try await other.code(.get, "/v1/notifications/test/\(token)") == 4_040_008)
        }
    }

    @Test(
        "Test notifications are rejected with their codes",
        arguments: [
            ("x", 4_000_020), ("00000000-0000-4000-8000-000000000001", 4_000_020),
            ("00000000-0000-4000-8000-000000000001_1", 4_040_008),
        ] as [(String, Int64)])
    @available(AppStoreServerAPI 1.0, *)
    func testNotificationErrors(_ token: String, _ code: Int64) async throws {
        let client = FakeStoreClient()
        #expect(try await client.code(.get, "/v1/notifications/test/\(token)") == code)
        client.store.setNotificationURL(false, app: "com.example.app")
        #expect(try await client.code(.post, "/v1/notifications/test") == 4_040_007)
    }
}
