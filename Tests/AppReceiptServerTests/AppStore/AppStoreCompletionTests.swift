#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreServerTesting
import AppStoreSignedData
import Foundation
import Logging
import StoreTestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("AppStoreCompletion")
struct AppStoreCompletionTests {
    @available(AppReceiptServer 1.0, *)
    private func with(
        _ fixture: AppStoreFixture,
        metrics: PrometheusRegistry = PrometheusRegistry(),
        configure: (inout AppStoreConfiguration) -> Void = { _ in },
        _ body: (AppStoreCompletion, any EvidenceStore, CapturedLog, AppScope) async throws -> Void
    ) async throws {
        let signedData = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
        let store = try SQLiteStore(
            path: nil, receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors), signedData: signedData)
        let log = CapturedLog()
        var configuration = try fixture.configuration()
        configure(&configuration)
        let completion = AppStoreCompletion(
            configuration,
            clients: AppStoreClients(configuration, verifier: signedData, apps: []), store: store,
            metrics: ServerMetrics(metrics), databaseFailures: DatabaseFailureLog(), logger: log.logger)
        try await body(completion, store, log, try scope)
        try await store.close()
    }

    @available(AppReceiptServer 1.0, *)
    private var scope: AppScope {
        get throws { try #require(AppScope(app: "com.example.app", .sandbox)) }
    }

    @available(AppReceiptServer 1.0, *)
    private func transactions(_ store: any EvidenceStore) async throws -> Set<String> {
        let history = try await store.history(
            of: [AppStoreFixture.original], app: "com.example.app", environment: .sandbox)
        return Set(history.transactions.compactMap(\.claims.transactionIdentifier))
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An original transaction is asked about once, in its environment, with statuses and history")
    func once() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
            let history = try await store.history(
                of: [AppStoreFixture.original], app: "com.example.app", environment: .sandbox)
            #expect(history.renewals.count == 1)
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked == [.statuses, .history])
            #expect(fixture.fake.requests.allSatisfy { $0.environment == .sandbox })
        }
    }

    @available(AppReceiptServer 1.0, *)
    private func submit(to store: any EvidenceStore) async throws {
        let receipt = try ReceiptVerifier(anchors: TestPKI.standard.anchors).verify(
            AppStoreFixture.receipt(),
            expecting: Expectations(bundleIdentifier: .anyBundle, environments: .anyEnvironment))
        _ = try await store.record(CustomerEvidence(receipts: [receipt]), account: "ann", app: nil, from: .client)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After the account was forgotten, by whichever server, the App Store is asked again")
    func forgotten() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            for count in 1...2 {
                try await submit(to: store)
                #expect(await completion.complete([AppStoreFixture.original], scope: scope))
                #expect(fixture.asked.count == 2 * count)
                #expect(try await store.forget("ann", in: nil)?.count == 1)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An answer that arrives after the account was forgotten isn't stored, and completes nothing")
    func forgottenMeanwhile() async throws {
        let (fixture, metrics) = (AppStoreFixture(isImpatient: true), PrometheusRegistry())
        try await with(fixture, metrics: metrics) { completion, store, _, scope async throws in
            try await submit(to: store)
            fixture.hold()
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await store.forget("ann", in: nil)?.count == 1)
            fixture.answer()
            // Counted after it was recorded.
            await waitUntil { metrics.text().contains("outcome=\"complete\"") }
            #expect(try await transactions(store).isEmpty)
            #expect(try await store.completions(of: [AppStoreFixture.original], in: scope).isEmpty)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After the refresh interval, the history continues from the stored revision")
    func refresh() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            _ = await completion.complete([AppStoreFixture.original], scope: scope)
            fixture.fake.add(AppStoreFixture.period("72", from: "2025-01-19T00:00:00Z"))
            fixture.now += 86_399
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
            fixture.now += 2
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71", "72"])
            let histories = fixture.fake.requests.filter { $0.endpoint == .history }
            #expect(histories.map { $0.query["revision"]?.isEmpty ?? true } == [true, false])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A revision that the App Store doesn't accept is replaced by the whole history")
    func expiredRevision() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            _ = await completion.complete([AppStoreFixture.original], scope: scope)
            fixture.now += 86_401
            fixture.fake.inject(.error(4_000_005), at: .history)
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked == [.statuses, .history, .statuses, .history, .history])
            #expect(try await transactions(store) == ["70", "71"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response that waited long enough doesn't wait for the answer, which is in the database later")
    func patience() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        try await with(fixture) { completion, store, _, scope async throws in
            fixture.hold()
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store).isEmpty)
            fixture.answer()
            // Each call yields to the request in progress.
            try await waitUntil { try await store.pendingCompletions() == 0 }
            #expect(try await transactions(store) == ["70", "71"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A request that failed stays in the queue, and no response waits while the App Store can't be reached")
    func unreachable() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(.connectionCut, times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(log.text.contains("The App Store can't be reached"))
            #expect(!log.text.contains(AppStoreFixture.original))
            #expect(try await store.pendingCompletions() == 1)
            fixture.hold()
            #expect(await !completion.complete(["80"], scope: scope))
            fixture.answer()
            fixture.fake.removeFaults()
            fixture.now += 3600
            #expect(try await store.dueCompletions(in: scope, at: 1_735_693_200_000, limit: 10).count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An outage of one environment doesn't end the waiting of responses about the other")
    func otherEnvironment() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, _, log, scope async throws in
            fixture.fake.inject(.connectionCut, in: .sandbox, times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(log.text.contains("The App Store can't be reached"))
            let production = try #require(AppScope(app: scope.app, .production))
            #expect(await completion.complete(["404"], scope: production))
            #expect(!log.text.contains("can be reached again"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "Only broken connections, time limits and gateways' errors are outages",
        arguments: [
            (.connectionCut, true), (.delay(.seconds(60)), true), (.html(status: 502), true),
            (.html(status: 503), true),
            (.html(status: 504), true), (.error(5_000_000), false), (.error(5_000_001), false),
            (.error(4_040_002), false), (.error(4_040_004), false), (.error(4_040_006), false),
            (.rateLimit(.seconds(600)), false),
        ] as [(FakeAppStoreServer.Fault, Bool)])
    func outages(fault: FakeAppStoreServer.Fault, isOutage: Bool) async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(fault, at: .statuses)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(log.text.contains("can't be reached") == isOutage)
            #expect(try await store.pendingCompletions() == 1)
            guard fault != .rateLimit(.seconds(600)) else { return }
            // A response waits for the answer, unless the App Store couldn't be reached.
            #expect(await completion.complete(["404"], scope: scope) == !isOutage)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A backlog is asked about without pauses between searches of the database")
    func backlog() async throws {
        let fixture = AppStoreFixture(isImpatient: true, searchesOnce: true)
        try await with(fixture) {
            // No wait for the rate limit is as long as the wait between two searches.
            $0.client.rateLimitShare = 0.8133
        } _: { completion, store, _, scope async throws in
            let production = try #require(AppScope(app: scope.app, .production))
            try await store.enqueue(
                Set((1000..<2200).map { "\($0)" }), in: production, due: 0, ifNotCompletedAfter: 0)
            try await store.enqueue([AppStoreFixture.original], in: scope, due: 1, ifNotCompletedAfter: 0)
            let service = Task { try await completion.run() }
            try await waitUntil { try await store.pendingCompletions() == 0 }
            service.cancel()
            try await service.value
        }
        let requests = fixture.fake.requests
        #expect(requests.count { $0.environment == .production && $0.endpoint == .history } == 1200)
        // An app with many requests leaves room for the others.
        let position = try #require(requests.firstIndex { $0.environment == .sandbox })
        #expect(position < 200)
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The purchases of a receipt are one customer's, whose history is read once, also after a restart")
    func oneHistory() async throws {
        let names = (100..<130).map { "\($0)" }
        for isRestarted in [false, true] {
            let fixture = AppStoreFixture(
                purchases: names.map {
                    TestTransaction(
                        "com.example.\($0)", transaction: $0, at: instant("2024-12-01T00:00:00Z"))
                })
            try await with(fixture) { completion, store, _, scope async throws in
                if isRestarted {
                    let verifier = ReceiptVerifier(anchors: try TestPKI.standard.anchors)
                    let receipt = TestReceipt(
                        purchases: names.map { TestPurchase("com.example.\($0)", transaction: $0) })
                    _ = try await store.record(
                        try verifier.verify(
                            try receipt.signed(),
                            expecting: Expectations(bundleIdentifier: "com.example.app", environments: [.sandbox])))
                    try await store.enqueue(Set(names), in: scope, due: 0, ifNotCompletedAfter: 0)
                    let service = Task { try await completion.run() }
                    try await waitUntil { try await store.pendingCompletions() == 0 }
                    service.cancel()
                    try await service.value
                } else {
                    #expect(await completion.complete(Set(names), scope: scope))
                }
                #expect(fixture.asked == [.statuses, .history, .history])
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The queue in the database is asked about after a restart")
    func restart() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            try await store.enqueue([AppStoreFixture.original], in: scope, due: 0, ifNotCompletedAfter: 0)
            let service = Task { try await completion.run() }
            try await waitUntil { try await store.pendingCompletions() == 0 }
            service.cancel()
            try await service.value
            #expect(try await transactions(store) == ["70", "71"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase that the App Store doesn't know isn't asked about again, and has its own outcome")
    func unknown() async throws {
        let (fixture, metrics) = (AppStoreFixture(), PrometheusRegistry())
        try await with(fixture, metrics: metrics) { completion, store, _, scope async throws in
            #expect(await completion.complete(["404"], scope: scope))
            #expect(await completion.complete(["404"], scope: scope))
            #expect(fixture.asked == [.statuses, .history])
            #expect(try await store.pendingCompletions() == 0)
            #expect(
                metrics.text().contains(
                    "appreceipt_app_store_requests_total{outcome=\"transaction-id-not-found\"} 1\n"))
            #expect(metrics.text().contains("appreceipt_app_store_requests_total{outcome=\"complete\"} 0\n"))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A purchase that data younger than an hour proves is new, and is asked about again until it is known")
    func new() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            let signed = fixture.now - 5
            fixture.fake.inject(.error(4_040_010), times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope, signedDate: signed))
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope, signedDate: signed))
            #expect(fixture.asked == [.statuses, .history])
            #expect(try await store.pendingCompletions() == 1)
            for pause in [2, 4, 8, 16, 32, 64, 128, 256, 300] {
                fixture.now += Double(pause) - 1
                #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
                let count = fixture.asked.count
                fixture.now += 1
                #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
                #expect(fixture.asked.count == count + 2)
            }
            fixture.fake.removeFaults()
            fixture.now += 300
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
            #expect(try await store.pendingCompletions() == 0)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A stored transaction or receipt proves a new purchase for an hour", arguments: [true, false])
    func stored(isTransaction: Bool) async throws {
        let fixture = AppStoreFixture()
        let signed = fixture.now
        try await with(fixture) { completion, store, _, scope async throws in
            fixture.fake.inject(.error(4_040_010), times: nil)
            if isTransaction {
                let transaction = AppStoreFixture.period("70", from: "2025-01-01T00:00:00Z")
                    .with { $0.signedDate = signed }
                try await store.record(try StoreFixtures.transaction(transaction))
            } else {
                try await store.record(try StoreFixtures.receipt(["70"], made: "2025-01-01T00:00:00Z"))
            }
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            fixture.now += 3600
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "An app that the App Store doesn't know with this key isn't complete, is reported once, and isn't asked about for a while",
        arguments: [nil, 4_000_002] as [Int64?])
    func unknownApp(code: Int64?) async throws {
        let (fixture, metrics) = (AppStoreFixture(), PrometheusRegistry())
        try await with(fixture, metrics: metrics) { completion, store, log, scope async throws in
            if let code { fixture.fake.inject(.error(code), times: nil) }
            // The fake doesn't know the other app.
            let app = code == nil ? try #require(AppScope(app: "com.example.other", .sandbox)) : scope
            #expect(await !completion.complete([AppStoreFixture.original], scope: app))
            #expect(await !completion.complete([AppStoreFixture.original, "80"], scope: app))
            #expect(fixture.asked.count == 1)
            #expect(try await store.pendingCompletions() == 2)
            let outcome = code == nil ? "app-not-found" : "invalid-app-identifier"
            #expect(
                metrics.text().contains("appreceipt_app_store_requests_total{outcome=\"\(outcome)\"} 1\n"))
            let reports = log.text.split(separator: "\n").filter { $0.contains("doesn't know the app") }
            #expect(reports.count == 1)
            for part in ["error ", app.app, fixture.fake.key.keyIdentifier, "Check the setting 'bundle-id'"] {
                #expect(reports.first?.contains(part) == true, "\(part)")
            }
            #expect(log.text.contains("2025-01-01T00:05:00Z"))
            fixture.fake.removeFaults()
            fixture.fake.addApp(app.app, appAppleIdentifier: 2)
            fixture.now += 301
            #expect(await completion.complete(["80"], scope: app))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An answer that isn't the App Store's isn't complete, and is requested again with growing pauses")
    func foreignAnswer() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(.html(status: 404), times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked.count == 1)
            #expect(log.text.contains("The App Store rejects a request"))
            #expect(try await store.pendingCompletions() == 1)
            fixture.fake.removeFaults()
            fixture.now += 2
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A request that the App Store rejects isn't complete, and is repeated with growing pauses",
        arguments: [4_000_000, 4_000_006, 4_030_004, 4_099_999] as [Int64])
    func rejectedRequest(code: Int64) async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(.error(code), at: .history, times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(log.text.contains("The App Store rejects a request"))
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked == [.statuses, .history])
            fixture.fake.removeFaults()
            fixture.now += 2
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An answer that never verifies is requested once in a refresh interval in the end, and used once it verifies")
    func neverVerified() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            fixture.fake.inject(.forgedSignature, at: .history, times: nil)
            for _ in 0..<480 {
                #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
                fixture.now += 3600
            }
            // Twenty days: the first ones with growing pauses, then once a day.
            let asked = fixture.asked.count { $0 == .history }
            #expect((20...36).contains(asked), "\(asked)")
            fixture.fake.removeFaults()
            fixture.now += 86_400
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A customer who isn't known after the first page, or whose subscriptions are known, isn't complete")
    func contradiction() async throws {
        let purchases = (100..<130).map {
            TestTransaction(
                "com.example.\($0)", transaction: "\($0)", at: instant("2024-12-01T00:00:00Z"))
        }
        for (fixture, original, skipped) in [
            (AppStoreFixture(purchases: purchases), "100", 1), (AppStoreFixture(), AppStoreFixture.original, 0),
        ] {
            try await with(fixture) { completion, store, _, scope async throws in
                fixture.fake.inject(.error(4_040_010), at: .history, skipping: skipped)
                #expect(await !completion.complete([original], scope: scope))
                #expect(try await store.pendingCompletions() == 1)
                fixture.now += 2
                #expect(await completion.complete([original], scope: scope))
                #expect(try await store.pendingCompletions() == 0)
            }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A key that is rejected for an app pauses the requests about this app only")
    func rejectedKey() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(.empty(status: 401), times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            let count = fixture.asked.count
            #expect(await !completion.complete(["80"], scope: scope))
            #expect(fixture.asked.count == count)
            let reports = log.text.split(separator: "\n").filter { $0.contains("The App Store rejects the key") }
            #expect(reports.count == 1)
            for part in [
                "error ", "com.example.app", fixture.fake.key.keyIdentifier, "In-App Purchase key", "until",
            ] {
                #expect(reports.first?.contains(part) == true, "\(part)")
            }
            #expect(try await store.pendingCompletions() == 2)
            // An app of another team, whose receipts a server of every app accepts, doesn't stop the others.
            let other = try #require(AppScope(app: "com.example.other", .sandbox))
            fixture.fake.removeFaults()
            fixture.fake.addApp("com.example.other", appAppleIdentifier: 2)
            #expect(await completion.complete(["90"], scope: other))
            #expect(fixture.asked.count > count)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("If production rejects the key, the log says what to set for an app that was never approved")
    func neverApproved() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, _, log, scope async throws in
            fixture.fake.inject(.empty(status: 401), times: nil)
            let production = try #require(AppScope(app: scope.app, .production))
            #expect(await !completion.complete([AppStoreFixture.original], scope: production))
            #expect(log.text.contains("never approved for sale. For such an app, set 'environment' to 'sandbox'."))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Nothing is asked before the date that the App Store names in a response about its limits")
    func rateLimit() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(.rateLimit(.seconds(600)), at: .statuses)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(await !completion.complete([AppStoreFixture.original, "80"], scope: scope))
            #expect(fixture.asked == [.statuses])
            #expect(try await store.pendingCompletions() == 2)
            let reports = log.text.split(separator: "\n").filter { $0.contains("The App Store limits requests") }
            #expect(reports.count == 1)
            #expect(reports.first?.contains("2025-01-01T00:10:00Z") == true)
            #expect(!log.text.contains("can't be reached"))
            fixture.now += 601
            let service = Task { try await completion.run() }
            try await waitUntil { try await store.pendingCompletions() == 0 }
            service.cancel()
            try await service.value
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("No response waits for a repetition after its patience")
    func shortRateLimit() async throws {
        let fixture = AppStoreFixture(repeats: true)
        try await with(fixture) { completion, _, log, scope async throws in
            fixture.fake.inject(.rateLimit(.seconds(20)), times: nil)
            let service = Task { try await completion.run() }
            // Neither the patience nor the client's wait ends here, so a response that waits would never be sent.
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(await !completion.complete(["80"], scope: scope))
            #expect(fixture.asked == [.statuses])
            #expect(log.text.contains("The App Store limits requests"))
            service.cancel()
            try await service.value
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("After the first failed attempt, no further response waits for an App Store that can't be reached")
    func firstFailedAttempt() async throws {
        let fixture = AppStoreFixture(repeats: true)
        try await with(fixture) { completion, _, log, scope async throws in
            fixture.fake.inject(.connectionCut, times: nil)
            let service = Task { try await completion.run() }
            let first = Task { await completion.complete([AppStoreFixture.original], scope: scope) }
            await waitUntil { log.text.contains("The App Store can't be reached") }
            // Neither the patience nor the client's wait ends here, so a response that waits would never be sent.
            #expect(await !completion.complete(["80"], scope: scope))
            service.cancel()
            try await service.value
            #expect(await !first.value)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An answer with signed data that doesn't verify isn't complete, and is requested again with growing pauses")
    func forged() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, log, scope async throws in
            fixture.fake.inject(.forgedSignature, at: .history, times: nil)
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["71"])
            #expect(log.text.contains("doesn't verify"))
            #expect(log.text.contains("\"code\": signature-invalid"))
            #expect(log.text.contains("\"environment\": sandbox"))
            // Neither this customer nor the others wait for the repetition.
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked == [.statuses, .history])
            #expect(try await store.pendingCompletions() == 1)
            fixture.now += 2
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked.count == 4)
            fixture.now += 2
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(fixture.asked.count == 4)
            fixture.fake.removeFaults()
            fixture.now += 2
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
            #expect(try await store.pendingCompletions() == 0)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Only the original transactions of the same app transaction count as answered, and share the revision")
    func hiddenCustomer() async throws {
        let customers: [(String, String?)] = [
            ("70", "704000000000000001"), ("80", "704000000000000001"), ("90", "704000000000000002"), ("95", nil),
        ]
        let fixture = AppStoreFixture(
            purchases: customers.map { identifier, customer in
                TestTransaction("com.example.\(identifier)", transaction: identifier).with {
                    $0.overrides["appTransactionId"] = customer.map { .string($0) } ?? 0
                }
            })
        try await with(fixture) { completion, store, _, scope async throws in
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            let known = try await store.completions(of: ["70", "80", "90", "95"], in: scope)
            #expect(Set(known.keys) == ["70", "80"])
            #expect(known["70"]?.revision != nil)
            #expect(known["80"] == known["70"])
            let count = fixture.asked.count
            #expect(await completion.complete(["80"], scope: scope))
            #expect(fixture.asked.count == count)
            #expect(await completion.complete(["90"], scope: scope))
            #expect(await completion.complete(["95"], scope: scope))
            let asked = fixture.fake.requests[count...].filter { $0.endpoint == .history }
            #expect(asked.count == 2)
            #expect(asked.allSatisfy { $0.query["revision"] == nil })
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A page that doesn't verify is requested again with the revision before it")
    func forgedPage() async throws {
        let fixture = AppStoreFixture()
        try await with(fixture) { completion, store, _, scope async throws in
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            fixture.fake.add(AppStoreFixture.period("72", from: "2025-01-19T00:00:00Z"))
            fixture.fake.inject(.forgedSignature, at: .statuses)
            fixture.fake.inject(.forgedSignature, at: .history)
            fixture.now += 86_401
            #expect(await !completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71"])
            fixture.now += 2
            #expect(await completion.complete([AppStoreFixture.original], scope: scope))
            #expect(try await transactions(store) == ["70", "71", "72"])
            let revisions = fixture.fake.requests.filter { $0.endpoint == .history }.map { $0.query["revision"] }
            #expect(revisions.count == 3)
            #expect(revisions[0] == nil)
            #expect(revisions[1] != nil)
            #expect(revisions[1] == revisions[2])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The metric of the queue is current whenever it is read")
    func queueMetric() async throws {
        let fixture = AppStoreFixture(isImpatient: true)
        fixture.hold()
        let body = request(try AppStoreFixture.receipt())
        let configuration = try fixture.configuration()
        try await TestServer.with {
            $0.appStore = configuration
        } _: { server async throws in
            func queue() async throws -> Bool { try await server.get("/metrics").text.contains("app_store_queue 1\n") }
            #expect(try await !queue())
            _ = try await server.post("/sandbox/verifyReceipt", body)
            #expect(try await queue())
            fixture.answer()
            try await waitUntil { try await !queue() }
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A response contains the App Store's answer, and a header if the answer is late")
    func responses() async throws {
        for isImpatient in [false, true] {
            let fixture = AppStoreFixture(isImpatient: isImpatient)
            if isImpatient { fixture.hold() }
            let body = request(try AppStoreFixture.receipt())
            let configuration = try fixture.configuration()
            try await TestServer.with {
                $0.appStore = configuration
            } _: { server async throws in
                let answer = try await server.post("/sandbox/verifyReceipt", body)
                #expect(answer.receiptStatus == 0)
                #expect(answer.headers["x-evidence"] == (isImpatient ? "partial" : nil))
                #expect(answer.json["latest_receipt_info"]?.array?.count == (isImpatient ? 1 : 2))
                #expect((answer.json["pending_renewal_info"] == nil) == isImpatient)
                let validated = try await server.post(
                    "/v1/receipts/validate", try AppStoreFixture.receipt(),
                    headers: ["Content-Type": "application/octet-stream"])
                #expect(validated.json["verdict"]?.string == "valid")
                #expect(validated.headers["x-evidence"] == (isImpatient ? "partial" : nil))
                fixture.answer()
            }
        }
    }
}
#endif
