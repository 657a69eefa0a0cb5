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
        _ body: (NotificationCatchUp, TransactionStore, CapturedLog) async throws -> Void
    ) async throws {
        let signedData = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let store = try TransactionStore(
            path: nil, receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors), signedData: signedData)
        let (log, configuration) = (CapturedLog(), try fixture.configuration())
        let catchUp = NotificationCatchUp(
            clients: AppStoreClients(configuration, verifier: signedData, appAppleIdentifier: nil), store: store,
            bundleIdentifiers: apps, environments: [.sandbox], clock: configuration.client.clock,
            metrics: ServerMetrics(PrometheusRegistry()), logger: log.logger)
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
        let fixture = AppStoreFixture()
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

    @available(AppReceiptServer 1.0, *)
    @Test("A pass that failed is repeated from the same date")
    func failure() async throws {
        let fixture = AppStoreFixture()
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
        let fixture = AppStoreFixture()
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
        let fixture = AppStoreFixture()
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
    @Test("Notifications that don't verify are read again in the next pass")
    func rejected() async throws {
        let fixture = AppStoreFixture()
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
        let fixture = AppStoreFixture()
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
