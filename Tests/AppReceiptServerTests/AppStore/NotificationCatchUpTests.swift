#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing
import TestSupport

@testable import AppReceiptServer

@Suite("NotificationCatchUp")
struct NotificationCatchUpTests {
    @available(AppReceiptServer 1.0, *)
    private func with(
        _ fixture: AppStoreFixture, apps: Set<String> = ["com.example.app"],
        environments: Set<AppStoreEnvironment> = [.sandbox], webhooks: [WebhookConfiguration] = [],
        metrics: PrometheusRegistry = PrometheusRegistry(),
        configure: (inout AppStoreServerConfiguration) -> Void = { _ in },
        _ body: (NotificationCatchUp, any EvidenceStore, CapturedLog) async throws -> Void
    ) async throws {
        let signedData = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let store = try SQLiteStore(
            path: nil, receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors), signedData: signedData)
        let log = CapturedLog()
        var configuration = try fixture.configuration()
        configure(&configuration.client)
        let catchUp = NotificationCatchUp(
            clients: AppStoreClients(configuration, verifier: signedData, apps: []), store: store,
            apps: apps.sorted().map { identifier in
                var app = AppConfiguration(bundleIdentifier: identifier)
                app.webhooks = webhooks
                return app
            }, environments: environments, clock: configuration.client.clock, metrics: ServerMetrics(metrics),
            databaseFailures: DatabaseFailureLog(), logger: log.logger)
        try await body(catchUp, store, log)
        try await store.close()
    }

    @available(AppReceiptServer 1.0, *)
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

    @available(AppReceiptServer 1.0, *)
    @Test(
        "What the history has first is forwarded as Apple sends it, and not again when it arrives",
        arguments: [true, false])
    func forwarded(isForwarded: Bool) async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        let webhook = WebhookConfiguration(
            url: "https://example.com/hook", secrets: [], format: .standard, forwardsNotifications: isForwarded)
        try await with(fixture, webhooks: [webhook]) { catchUp, store, _ async throws in
            func bodies() async throws -> [[UInt8]] {
                try await store.enqueueDeliveries(
                    to: "hook", app: "com.example.app", includesNotifications: true, at: 0)
                var bodies: [[UInt8]] = []
                while let taken = try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 1) {
                    if case .notification(let body) = taken.content { bodies.append(body) }
                }
                return bodies
            }
            #expect(try await bodies() == [])
            let missed = try renewal(1, at: "2024-12-20T00:00:00Z")
            fixture.fake.addNotification(missed)
            #expect(await catchUp.catchUp())
            let forwarded = try await bodies().map { String(decoding: $0, as: UTF8.self) }
            #expect(forwarded.count == (isForwarded ? 1 : 0))
            #expect(forwarded.allSatisfy { $0.hasPrefix("{\"signedPayload\":\"eyJ") && $0.hasSuffix("\"}") })
            let verified = try SignedDataVerifier(anchors: TestPKI.signedData.anchors).verifyNotification(
                missed.signed(),
                expecting: SignedDataExpectations(
                    bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp))
            _ = try await store.record(
                CustomerEvidence(notifications: [verified]), account: nil, app: nil, from: .forwarded(body: [1]))
            #expect(try await bodies() == [])
        }
    }

    /// Adds tests without a transaction, by default one every hour, the last at the start.
    @available(AppReceiptServer 1.0, *)
    private func addTests(_ count: Int, every distance: Double = 3600, to fixture: AppStoreFixture) {
        for number in 0..<count {
            fixture.fake.addNotification(
                TestNotification(type: .test).with {
                    $0.notificationUUID = UUID().uuidString
                    $0.signedDate = AppStoreFixture.start.addingTimeInterval(Double(number - count) * distance)
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
            let reached = try #require(try await store.catchUpPosition(of: scope).reached)
            #expect(try await store.statistics().notifications < 200)
            fixture.fake.removeFaults()
            let requests = fixture.asked.count
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 200)
            #expect(try starts(fixture)[requests...].allSatisfy { $0 >= reached })
        }
    }

    /// A page that isn't the last one, or 4000017 for the page that follows it.
    @available(AppReceiptServer 1.0, *)
    private enum Unreadable: CaseIterable {
        case emptyPage, expiredToken

        var response: AppStoreServerHTTPResponse {
            let body =
                switch self {
                case .emptyPage:
                    #"{"paginationToken": "\#(UUID())", "hasMore": true, "notificationHistory": []}"#
                case .expiredToken: #"{"errorCode": 4000017, "errorMessage": "Pagination token expired."}"#
                }
            return AppStoreServerHTTPResponse(status: self == .emptyPage ? 200 : 400, body: Array(body.utf8))
        }
    }

    /// Makes the periods unreadable that contain a part of another one.
    @available(AppReceiptServer 1.0, *)
    private func replaceResponses(_ fixture: AppStoreFixture, in dates: Range<Int64>, _ unreadable: Unreadable) {
        fixture.replaceResponses { request in
            guard let body = request.body,
                let members = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
                let start = members["startDate"] as? Int64, let end = members["endDate"] as? Int64,
                (start..<end).overlaps(dates)
            else { return nil }
            return unreadable.response
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Seconds that can't be read don't keep the later notifications, are reported, and read again when they are due",
        arguments: Unreadable.allCases)
    private func unreadable(cause: Unreadable) async throws {
        let (fixture, metrics) = (AppStoreFixture(isImpatient: true), PrometheusRegistry())
        try await with(fixture, metrics: metrics) {
            $0.maxPages = 2
        } _: { catchUp, store, log async throws in
            addTests(40, to: fixture)
            let second = try #require((AppStoreFixture.start - 36_000).milliseconds)
            replaceResponses(fixture, in: second..<second + 1, cause)
            #expect(await catchUp.catchUp())
            // One notification is in the second.
            #expect(try await store.statistics().notifications == 39)
            let report = try #require(log.text.split(separator: "\n").last)
            let code = cause == .emptyPage ? "too-many-pages" : "pagination-token-expired"
            for part in ["warning ", "\"unreadable-periods\": 1", "\"code\": \(code)"] {
                #expect(report.contains(part), "\(part)")
            }
            #expect(metrics.text().contains(caughtUp(AppStoreFixture.start)))
            fixture.replaceResponses(nil)
            fixture.now += 3600
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 40)
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            #expect(try await store.gaps(in: scope).isEmpty)
        }
    }

    /// The line of the metrics with the date up to which the notifications of the app in the sandbox were read.
    private func caughtUp(_ date: Date) -> String {
        let labels = #"{app="com.example.app",environment="sandbox"}"#
        return "appreceipt_caught_up_timestamp_seconds\(labels) \(Int(date.timeIntervalSince1970))\n"
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "After some seconds that can't be read, a pass is incomplete, and the next one continues after them",
        arguments: Unreadable.allCases)
    private func endless(cause: Unreadable) async throws {
        let (fixture, metrics) = (AppStoreFixture(isImpatient: true), PrometheusRegistry())
        try await with(fixture, metrics: metrics) {
            $0.maxPages = 2
        } _: { catchUp, store, _ async throws in
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let start = try #require((AppStoreFixture.start - 300).milliseconds)
            try await store.setCatchUpPosition(CatchUpPosition(reached: start), of: scope, leaving: nil)
            replaceResponses(fixture, in: start..<start + 25_000, cause)
            addTests(3, every: 10, to: fixture)
            for pass in 1...2 {
                #expect(await !catchUp.catchUp())
                #expect(fixture.asked.count < pass * 60)
                #expect(try await store.gaps(in: scope).count == pass * 10)
                #expect(metrics.text().contains(caughtUp(AppStoreFixture.start - 300)))
            }
            #expect(await catchUp.catchUp())
            #expect(try await store.gaps(in: scope).count == 25)
            #expect(try await store.statistics().notifications == 3)
            #expect(metrics.text().contains(caughtUp(AppStoreFixture.start)))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A pass reads everything again beside many known gaps, after the clock was a year ahead")
    func manyGaps() async throws {
        try await with(AppStoreFixture(isImpatient: true)) { catchUp, store, _ async throws in
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let (now, day) = (try #require(AppStoreFixture.start.milliseconds), Int64(86_400_000))
            for number in 1...45 as ClosedRange<Int64> {
                let start = now - number * 3 * day
                let gap = NotificationGap(period: start..<start + 3_600_000, attempts: 1, due: now + day)
                let position = CatchUpPosition(reached: now + 365 * day)
                try await store.setCatchUpPosition(position, of: scope, leaving: gap)
            }
            #expect(await catchUp.catchUp())
            #expect(try await store.catchUpPosition(of: scope).reached == now - 600_000)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Passes that are always interrupted read every notification in the end")
    func alwaysInterrupted() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        addTests(2000, every: 60, to: fixture)
        try await with(fixture) { catchUp, store, _ async throws in
            var passes = 0
            var isComplete = false
            // Too few pages for all notifications, or for the whole period.
            while !isComplete, passes < 100 {
                passes += 1
                fixture.fake.removeFaults()
                fixture.fake.inject(.connectionCut, skipping: 12, times: nil)
                isComplete = await catchUp.catchUp()
            }
            #expect(isComplete)
            #expect(passes > 5)
            #expect(try await store.statistics().notifications == 2000)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification that doesn't verify is counted once, although it is in the part that passes read again")
    func rejectedInOverlap() async throws {
        let (fixture, metrics) = (AppStoreFixture(isImpatient: true), PrometheusRegistry())
        try await with(fixture, metrics: metrics) { catchUp, store, _ async throws in
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            fixture.fake.addNotification(try renewal(1, at: "2024-12-31T23:55:00Z"))
            fixture.fake.inject(.forgedSignature, at: .notificationHistory, times: nil)
            for _ in 0..<200 {
                #expect(await catchUp.catchUp())
                #expect(try await store.gaps(in: scope).count <= 1)
                fixture.now += 3600
            }
            #expect(metrics.text().contains("appreceipt_caught_up_rejected_total 1\n"))
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
            try await store.setCatchUpPosition(CatchUpPosition(reached: 1_893_456_000_000), of: scope, leaving: nil)
            #expect(await catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect(log.text.contains("warning The date up to which notifications were read is in the future"))
            #expect(try await store.catchUpPosition(of: scope).reached == (AppStoreFixture.start - 600).milliseconds)
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
            if let address = URL(string: "https://127.0.0.1") { $0.endpoints = .init(production: address) }
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
        let metrics = PrometheusRegistry()
        try await with(fixture, environments: [.production, .sandbox], metrics: metrics) {
            catchUp, store, _ async throws in
            #expect(await !catchUp.catchUp())
            #expect(try await store.statistics().notifications == 1)
            #expect(metrics.text().contains(caughtUp(AppStoreFixture.start)))
            #expect(
                metrics.text().contains(
                    #"appreceipt_caught_up_timestamp_seconds{app="com.example.app",environment="production"} 0"#))
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
            // Production's answer may mean that the app was never approved.
            #expect(!log.text.contains("set 'environment' to 'sandbox'"))
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
