#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreSignedData
import Foundation
import Testing
import TestSupport

@testable import AppReceiptServer

@Suite("NotificationCatchUp")
struct NotificationCatchUpTests {
    @available(AppReceiptServer 1.0, *)
    private func with(
        _ fixture: AppStoreFixture, apps: Set<String> = ["com.example.app"],
        environments: Set<ReceiptEnvironment.Base> = [.sandbox], metrics: PrometheusRegistry = PrometheusRegistry(),
        configure: (inout AppStoreServerConfiguration) -> Void = { _ in },
        _ body: (NotificationCatchUp, TransactionStore, CapturedLog) async throws -> Void
    ) async throws {
        let signedData = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let store = try TransactionStore(
            path: nil, receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors), signedData: signedData)
        let log = CapturedLog()
        var configuration = try fixture.configuration()
        configure(&configuration.client)
        let catchUp = NotificationCatchUp(
            clients: AppStoreClients(configuration, verifier: signedData, appAppleIdentifier: nil), store: store,
            bundleIdentifiers: apps, environments: environments, clock: configuration.client.clock,
            metrics: ServerMetrics(metrics), logger: log.logger)
        try await body(catchUp, store, log)
        try await store.close()
    }

    private func renewal(_ number: Int, at date: String) throws -> TestNotification {
        try TestNotification(type: .didRenew).with {
            $0.notificationUUID = "00000000-0000-4000-8000-00000000000\(number)"
            $0.signedDate = instant(date)
            $0.signedTransactionInfo = try AppStoreFixture.period("7\(number)", from: date).with {
                $0.signedDate = instant(date)
            }.signed()
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Missed notifications are recorded, and the next pass begins where the last one ended")
    func missed() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture) { catchUp, store, log async throws in
            fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect(log.text.contains("\"new\": 1"))
            fixture.fake.addNotification(try renewal(2, at: "2025-01-01T01:00:00Z"))
            fixture.now += 7200
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 2)
            let bodies = try fixture.fake.requests.map { try #require($0.body) }
            #expect(bodies.count == 2)
            #expect(String(decoding: bodies[1], as: UTF8.self).contains("\"startDate\":1735689000000"))
        }
    }

    /// Adds tests without a transaction, one every hour, the last at the start.
    @available(AppReceiptServer 1.0, *)
    private func addTests(_ count: Int, to fixture: AppStoreFixture) {
        for number in 0..<count {
            fixture.fake.addNotification(
                TestNotification(type: .test).with {
                    $0.notificationUUID = UUID().uuidString
                    $0.signedDate = AppStoreFixture.start.addingTimeInterval(Double(number - count) * 3600)
                })
        }
    }

    /// The member `startDate` of each request.
    @available(AppReceiptServer 1.0, *)
    private func starts(_ fixture: AppStoreFixture) throws -> [Int64] {
        try fixture.fake.requests.map { request in
            let body = try #require(request.body)
            let members = try #require(JSONSerialization.jsonObject(with: Data(body)) as? [String: Any])
            return try #require(members["startDate"] as? Int64)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app with few notifications in 180 days costs one request in each environment")
    func fewRequests() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        addTests(20, to: fixture)
        try await with(fixture, environments: [.production, .sandbox]) { catchUp, store, _ async throws in
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 20)
            #expect(fixture.asked.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A period with more pages than the limit is split until every notification is read")
    func split() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        addTests(200, to: fixture)
        try await with(fixture) {
            $0.maxPages = 2
        } _: { catchUp, store, log async throws in
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 200)
            #expect(fixture.asked.count < 60)
            #expect(!log.text.contains("can't be read"))
            fixture.now += 3600
            #expect(await catchUp.catchUp())
            #expect(try starts(fixture).last == (AppStoreFixture.start - 600).milliseconds)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An interrupted pass continues after the last period that was read")
    func interrupted() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        addTests(200, to: fixture)
        try await with(fixture) {
            $0.maxPages = 2
        } _: { catchUp, store, _ async throws in
            fixture.fake.inject(.connectionCut, skipping: 20, times: nil)
            #expect(await !catchUp.catchUp())
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let reached = try #require(try await store.caughtUp(scope))
            #expect(try await store.statistics().notifications < 200)
            fixture.fake.removeFaults()
            let requests = fixture.asked.count
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 200)
            #expect(try starts(fixture)[requests...].allSatisfy { $0 >= reached - 600_000 })
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Pages without end, all of them empty, don't keep a pass from ending")
    func endless() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture) {
            $0.maxPages = 2
        } _: { catchUp, store, _ async throws in
            fixture.fake.inject(.endlessPages(newRevision: true), at: .notificationHistory, times: nil)
            #expect(await catchUp.catchUp())
            #expect(fixture.asked.count < 100)
            addTests(3, to: fixture)
            fixture.fake.removeFaults()
            fixture.now += 3600
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 3)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification that never verifies delays no other one, and is given up after growing pauses")
    func neverVerified() async throws {
        let (fixture, metrics) = (AppStoreFixture(isImpatient: true), PrometheusRegistry())
        try await with(fixture, metrics: metrics) { catchUp, store, log async throws in
            let earliest = fixture.now.addingTimeInterval(-7200)
            fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
            fixture.fake.inject(.forgedSignature, at: .notificationHistory)
            #expect(await catchUp.catchUp())
            // The next pass doesn't begin with the notification that was rejected.
            fixture.fake.addNotification(try renewal(2, at: "2025-01-01T00:10:00Z"))
            fixture.now += 1200
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect(fixture.asked.count == 2)
            fixture.fake.inject(.forgedSignature, at: .notificationHistory, times: nil)
            var reread = 0
            for _ in 0..<400 {
                fixture.now += 3600
                let count = fixture.asked.count
                #expect(await catchUp.catchUp())
                reread += try starts(fixture)[count...].count { $0 < earliest.milliseconds ?? 0 }
            }
            #expect(reread == NotificationCatchUp.maxAttempts - 1)
            let reports = log.text.split(separator: "\n").filter { $0.contains("are given up") }
            #expect(reports.count == 2)
            #expect(reports.allSatisfy { $0.contains("warning ") && $0.contains("\"code\": signature-invalid") })
            #expect(metrics.text().contains("appreceipt_caught_up_rejected_total 2\n"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After a stored date in the future, everything is read again, with a warning")
    func future() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
        try await with(fixture) { catchUp, store, log async throws in
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            try await store.setCaughtUp(scope, 1_893_456_000_000, gap: nil)
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect(log.text.contains("warning The date up to which notifications were read is in the future"))
            #expect(try await store.caughtUp(scope) == AppStoreFixture.start.milliseconds)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("With one address for both environments, notifications of the other one are ignored and not read again")
    func oneAddress() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        fixture.fake.addNotification(
            try renewal(1, at: "2024-12-20T00:00:00Z").with {
                $0.environment = .production
                $0.signedTransactionInfo = nil
            })
        try await with(fixture, environments: [.production, .sandbox]) {
            $0.productionURL = "https://127.0.0.1"
        } _: { catchUp, store, log async throws in
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect(!log.text.contains("warning"))
            for _ in 0..<10 {
                fixture.now += 3600
                #expect(await catchUp.catchUp())
            }
            #expect(fixture.asked.count == 22)
            let again = try starts(fixture).dropFirst(2)
            #expect(again.allSatisfy { $0 >= (AppStoreFixture.start - 600).milliseconds ?? 0 })
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An environment that can't be reached doesn't keep the notifications of the other one")
    func otherEnvironment() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
        fixture.fake.inject(.connectionCut, at: .notificationHistory, in: .production, times: nil)
        try await with(fixture, environments: [.production, .sandbox]) { catchUp, store, _ async throws in
            #expect(await !catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A pass that failed is repeated from the same date")
    func failure() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture) { catchUp, store, log async throws in
            fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
            fixture.fake.inject(.html(status: 502), at: .notificationHistory)
            #expect(await !catchUp.catchUp())
            #expect(log.text.contains("Notifications can't be read"))
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A pass that the App Store rejects is reported and waits for the next hour")
    func unauthenticated() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture) { catchUp, store, log async throws in
            fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
            fixture.fake.inject(.empty(status: 401), at: .notificationHistory, times: nil)
            #expect(await catchUp.catchUp())
            #expect(log.text.contains("Notifications can't be read"))
            fixture.fake.removeFaults()
            fixture.now += 3600
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An app that the App Store doesn't know is reported with the key, an environment without an address isn't")
    func unknownApp() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture, apps: ["com.example.other"]) { catchUp, _, log async throws in
            fixture.fake.inject(.error(4_040_007), at: .notificationHistory)
            #expect(await catchUp.catchUp())
            #expect(log.text.isEmpty)
            fixture.fake.removeFaults()
            #expect(await catchUp.catchUp())
            for part in ["error ", "com.example.other", fixture.fake.key.keyIdentifier, "app-not-found"] {
                #expect(log.text.contains(part), "\(part)")
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Notifications that don't verify are read again after an hour")
    func rejected() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture) { catchUp, store, log async throws in
            fixture.fake.addNotification(try renewal(1, at: "2024-12-20T00:00:00Z"))
            fixture.fake.inject(.forgedSignature, at: .notificationHistory)
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 0)
            #expect(log.text.contains("\"rejected\": 1"))
            #expect(log.text.contains("\"code\": signature-invalid"))
            fixture.now += 3600
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect("\(catchUp)" == "NotificationCatchUp")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A server of every app reads the notifications of the apps whose purchases it stores")
    func everyApp() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture, apps: []) { catchUp, store, _ async throws in
            #expect(await catchUp.catchUp())
            #expect(fixture.asked.isEmpty)
            let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
            _ = try await store.record(
                try verifier.verifyTransaction(
                    try TestTransaction("com.example.pro", transaction: "1").signed(),
                    expecting: SignedDataExpectations(bundleIdentifier: "com.example.app", environments: [.sandbox])))
            #expect(await catchUp.catchUp())
            #expect(fixture.asked == [.notificationHistory])
        }
    }
}
#endif
