import AppReceiptSupport
import AppStoreServerAPI
import Foundation
import Testing

@Suite("Responses that aren't what Apple documents")
struct UnreadableResponseTests {
    @available(AppStoreServerAPI 1.0, *)
    private typealias Call = @Sendable (AppStoreServerClient) async throws -> Void

    /// A call of each endpoint whose response is an object, by a name.
    @available(AppStoreServerAPI 1.0, *)
    private static let calls: [(name: String, call: Call)] = [
        ("history", { _ = try await $0.history(ofCustomer: "1").collected() }),
        ("refunds", { _ = try await $0.refunds(ofCustomer: "1").collected() }),
        ("statuses", { _ = try await $0.subscriptionStatuses(ofCustomer: "1") }),
        ("transaction", { _ = try await $0.transaction("1") }),
        ("app-transaction", { _ = try await $0.appTransaction(ofCustomer: "1") }),
        ("order", { _ = try await $0.order("M") }),
        (
            "notifications",
            { client in
                let query = AppStoreServerClient.NotificationHistoryQuery(from: now - 60, to: now)
                _ = try await client.notificationHistory(query, in: .production).all()
            }
        ),
        ("extend", { _ = try await $0.extendSubscription("1", by: extension14Days) }),
        (
            "extend-all",
            { _ = try await $0.extendAllSubscriptions(ofProduct: "a", by: extension14Days, in: .production) }
        ),
        (
            "extend-status",
            { _ = try await $0.extensionStatus(ofProduct: "a", requestIdentifier: "once", in: .production) }
        ),
        ("test", { _ = try await $0.requestTestNotification(in: .production) }),
        ("test-status", { _ = try await $0.testNotificationStatus("t", in: .production) }),
        ("groups", { _ = try await $0.groups(ofCustomer: "1", in: .production) }),
        ("members", { _ = try await $0.members(ofGroup: "1", in: .production).all() }),
        ("seats", { _ = try await $0.seats(ofTransaction: "1", in: .production) }),
        ("claim", { _ = try await $0.claimSeat(ofTransaction: "1", requestIdentifier: UUID(), in: .production) }),
    ]

    private static let changes: Set<String> = ["extend", "extend-all", "test", "claim"]

    @available(AppStoreServerAPI 1.0, *)
    private func error(_ call: @escaping Call, _ body: AppStoreJSON) async throws -> AppStoreServerError? {
        let client = try makeClient(ScriptedTransport(.json(body)), environments: [.production])
        return await failure { try await call(client) }
    }

    @Test(
        "A response with none of the endpoint's members is unreadable; whether a change was made is then unknown",
        arguments: [[:], ["unknown": 1], ["signedTransactions": .null, "data": .null]] as [AppStoreJSON])
    @available(AppStoreServerAPI 1.0, *)
    func none(_ body: AppStoreJSON) async throws {
        for (name, call) in Self.calls {
            let error = try await error(call, body)
            #expect(error?.code == .responseUnreadable, "\(name)")
            #expect(error?.isOutcomeUnknown == Self.changes.contains(name), "\(name)")
        }
    }

    @Test("A response that contains an error although its status is 200 is unreadable, and isn't another environment's")
    @available(AppStoreServerAPI 1.0, *)
    func errorWithSuccess() async throws {
        let body: AppStoreJSON = [
            "errorCode": 4_040_010, "errorMessage": "Transaction id not found.", "signedTransactions": [],
            "environment": "Production", "data": [], "success": true, "requestIdentifier": "once",
        ]
        for (name, call) in Self.calls {
            let transport = ScriptedTransport(.json(body))
            let error = await failure { try await call(makeClient(transport)) }
            #expect(error?.code == .responseUnreadable, "\(name)")
            #expect(error?.message.contains("4040010") == true, "\(name)")
            #expect(transport.requests.count == 1)
        }
        let finish = await failure {
            try await makeClient(ScriptedTransport(.json(body))).finishTransaction("1")
        }
        #expect(finish?.code == .responseUnreadable)
    }

    @Test("A list needs a member of its response, but no particular one")
    @available(AppStoreServerAPI 1.0, *)
    func emptyLists() async throws {
        for (name, body) in [
            ("history", ["environment": "Production", "bundleId": "com.example.app"]), ("history", ["hasMore": false]),
            ("history", ["signedTransactions": []]), ("refunds", ["revision": "r", "hasMore": false]),
            ("statuses", ["data": []]), ("statuses", ["environment": "Production"]), ("order", ["status": 1]),
            ("notifications", ["notificationHistory": []]), ("notifications", ["hasMore": false]),
            ("groups", ["groups": []]), ("members", ["members": []]),
            ("extend", ["success": false]),
        ] as [(String, AppStoreJSON)] {
            let call = try #require(Self.calls.first { $0.name == name }).call
            #expect(try await error(call, body) == nil, "\(name)")
        }
    }

    @Test("A member with another type than documented is unreadable")
    @available(AppStoreServerAPI 1.0, *)
    func types() async throws {
        for (name, body) in [
            ("history", ["hasMore": "true", "signedTransactions": []]), ("history", ["hasMore": 1]),
            ("history", ["signedTransactions": "x"]), ("history", ["signedTransactions": [], "revision": 7]),
            ("history", ["signedTransactions": [], "bundleId": 7]), ("history", ["environment": false]),
            ("history", ["signedTransactions": [], "appAppleId": "7"]),
            ("refunds", ["hasMore": "false"]), ("statuses", ["data": ["x"]]), ("statuses", ["data": [:]]),
            ("statuses", ["data": [["lastTransactions": "x"]]]), ("statuses", ["data": [["lastTransactions": [1]]]]),
            ("statuses", ["data": [["subscriptionGroupIdentifier": 1]]]),
            ("order", ["status": "0"]), ("order", ["status": true]), ("notifications", ["hasMore": "true"]),
            ("notifications", ["hasMore": true, "paginationToken": 1]), ("transaction", ["signedTransactionInfo": 1]),
            ("extend", ["success": "true"]), ("extend", ["success": true, "effectiveDate": "2025-01-01"]),
            ("extend", ["success": true, "originalTransactionId": 1]), ("extend-all", ["requestIdentifier": 1]),
            ("extend-status", ["complete": 1]), ("extend-status", ["succeededCount": "1"]),
            ("test", ["testNotificationToken": 1]), ("groups", ["groups": [1]]),
            ("groups", ["groups": [["groupId": 1]]]), ("members", ["members": [[:]]]), ("members", ["hasMore": 0]),
            ("seats", ["totalSeatCount": "1"]), ("seats", ["assignedSeatClaimIds": ["x"]]),
            ("claim", ["seatClaimId": "x"]),
        ] as [(String, AppStoreJSON)] {
            let call = try #require(Self.calls.first { $0.name == name }).call
            let error = try await error(call, body)
            #expect(error?.code == .responseUnreadable, "\(name)")
            #expect(error?.isOutcomeUnknown == Self.changes.contains(name), "\(name)")
        }
    }
}

@available(AppStoreServerAPI 1.0, *)
private let extension14Days = AppStoreServerClient.RenewalExtensionRequest(
    days: 14, reason: .other, requestIdentifier: "once")
