import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import ArgumentParser
import TestSupport
import Testing

@testable import appreceipt

@Suite("appreceipt store notifications and test-notification")
struct StoreNotificationsTests {
    @available(AppStoreServerAPI 1.0, *)
    private func notifications(
        _ bench: StoreTestBench, _ arguments: String..., app: [String] = []
    ) async throws -> StoreResult {
        let command = try StoreNotifications.parse(["--from", "2024-12-01T00:00:00Z"] + arguments + bench.required)
        let options = try StoreOptions.parse(bench.required + app)
        let client = try options.client(
            environments: options.environments, transport: bench.store, clock: bench.clock)
        return try await command.result(from: client, progress: StoreProgress())
    }

    @Test("Notifications have their claims, those of their tokens, and the unverified attempts")
    @available(AppStoreServerAPI 1.0, *)
    func json() async throws {
        let result = try await notifications(try StoreTestBench())
        let object = try #require(result.json.object)
        #expect(object.members.map(\.name) == ["notifications", "rejected", "environment"])
        let sent = try #require(object["notifications"]?.array?.first?.object)
        #expect(sent["notification"]?.object?["notificationType"]?.string == "DID_RENEW")
        let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let signed = try verifier.verifyNotification(
            sent["signedPayload"]?.string ?? "",
            expecting: SignedDataExpectations(
                bundleIdentifier: "com.example.app", environments: [.production], appAppleIdentifier: .anyApp))
        #expect(signed.claims.notificationType == .didRenew)
        #expect(sent["transaction"]?.object?["transactionId"]?.string == "2000000000000002")
        #expect(sent["renewalInfo"]?.object?["originalTransactionId"]?.string == "2000000000000001")
        let attempt = sent["unverified"]?.object?["sendAttempts"]?.array?.first?.object
        #expect(attempt?["sendAttemptResult"]?.string == "SUCCESS")
        #expect(attempt?["attemptDate"]?.number?.int64 == 1_734_825_600_000)
        #expect(result.lines[2].contains("DID_RENEW"))
        #expect(result.lines[2].contains("2024-12-22 00:00 SUCCESS"))
    }

    @Test("The filters are sent")
    @available(AppStoreServerAPI 1.0, *)
    func filters() async throws {
        let bench = try StoreTestBench()
        #expect(try await notifications(bench, "--only-failures").notifications == [])
        #expect(try await notifications(bench, "--type", "REFUND").notifications == [])
        #expect(try await notifications(bench, "--transaction", "2000000000000002").notifications?.count == 1)
        let last = try #require(bench.store.requests.last?.body)
        #expect(String(decoding: last, as: UTF8.self).contains(#""transactionId":"2000000000000002""#))
    }

    @Test("The App Store identifier is compared only if it is given")
    @available(AppStoreServerAPI 1.0, *)
    func appAppleIdentifier() async throws {
        let bench = try StoreTestBench()
        let right = try await notifications(bench, app: ["--app-apple-id", "1234567890"])
        #expect(right.isSuccess)
        #expect(right.notifications?.count == 1)
        let wrong = try await notifications(bench, app: ["--app-apple-id", "1"])
        #expect(!wrong.isSuccess)
        #expect(
            wrong.json.object?["rejected"]?.array?.first?.object?["code"]?.string == "app-apple-id-mismatch")
    }

    @Test("The sandbox is asked if production rejects the key, but not after a page was read")
    @available(AppStoreServerAPI 1.0, *)
    func fallback() async throws {
        let bench = try StoreTestBench()
        bench.store.inject(.endlessPages(newRevision: true), at: .notificationHistory)
        bench.store.inject(.empty(status: 401), at: .notificationHistory, times: 2)
        let failure = await bench.failure { try await notifications(bench) }
        #expect(failure?.code == "unauthenticated")
        #expect(failure?.cause?.environment == .production)
        bench.store.setApproved(false, app: "com.example.app")
        #expect(try await notifications(bench).environment == "sandbox")
    }

    @Test("Filters that Apple doesn't combine and periods without length are wrong usage")
    @available(AppStoreServerAPI 1.0, *)
    func usage() throws {
        let required = try StoreTestBench().required
        for arguments in [
            ["--transaction", "1", "--type", "TEST"], ["--subtype", "UPGRADE"], ["--to", "2024-12-01T00:00:00Z"],
        ] {
            #expect(throws: (any Error).self, "\(arguments)") {
                try StoreNotifications.parse(["--from", "2024-12-01T00:00:00Z"] + required + arguments)
            }
        }
    }

    @available(AppStoreServerAPI 1.0, *)
    private func test(_ bench: StoreTestBench, _ arguments: String...) async throws -> StoreResult {
        try await StoreTestNotification.parse(bench.required + arguments)
            .result(from: bench.client(), progress: StoreProgress())
    }

    @Test("A test notification is requested once, and its token shown")
    @available(AppStoreServerAPI 1.0, *)
    func token() async throws {
        let bench = try StoreTestBench()
        let result = try await test(bench)
        #expect(result.isSuccess)
        let token = try #require(result.json.object?["testNotificationToken"]?.string)
        #expect(result.lines.last == token)
        #expect(result.json.object?["result"] == .null)
        #expect(bench.requests == ["test-notification Production"])
        let later = try await test(bench, "--token", token)
        #expect(later.isSuccess)
        #expect(later.lines[0].contains("ACCEPTED"))
    }

    @Test("The result is waited for, a bounded time")
    @available(AppStoreServerAPI 1.0, *)
    func wait() async throws {
        let bench = try StoreTestBench()
        bench.store.inject(.error(4_040_008), at: .testNotificationStatus, times: 2)
        #expect(try await test(bench, "--wait").isSuccess)
        #expect(bench.requests.filter { $0.hasPrefix("test-notification-status") }.count == 3)
        bench.store.inject(.error(4_040_008), at: .testNotificationStatus, times: nil)
        let late = try await test(bench, "--wait")
        #expect(!late.isSuccess)
        #expect(late.json.object?["result"] == .null)
        #expect(late.notes.first?.contains("--token") == true)
    }

    @Test("A failure after the request was accepted asks no other environment")
    @available(AppStoreServerAPI 1.0, *)
    func afterRequest() async throws {
        let bench = try StoreTestBench()
        bench.store.inject(.empty(status: 401), at: .testNotificationStatus, times: nil)
        let failure = await bench.failure { try await test(bench, "--wait") }
        #expect(failure?.code == "unauthenticated")
        #expect(bench.requests.filter { $0 == "test-notification Sandbox" }.isEmpty)
    }
}

extension StoreResult {
    fileprivate var notifications: [AppStoreJSON]? { json.object?["notifications"]?.array }
}
