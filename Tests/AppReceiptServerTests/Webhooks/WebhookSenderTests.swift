#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreServerAPI
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing

@testable import AppReceiptServer

@available(AppReceiptServer 1.0, *)
extension AppConfiguration {
    fileprivate func with(_ webhooks: [WebhookConfiguration]) -> AppConfiguration {
        var app = self
        app.webhooks = webhooks
        return app
    }
}

@Suite("WebhookSender")
struct WebhookSenderTests {
    /// A receiver that answers with the statuses in turn, and the last one from then on; nil doesn't answer.
    @available(AppReceiptServer 1.0, *)
    private final class Receiver: AppStoreServerTransport {
        let requests = LockedValueBox<[AppStoreServerHTTPRequest]>([])
        /// Whether the server stops during the next request.
        let interrupts = LockedValueBox(false)
        private let statuses: LockedValueBox<[Int?]>

        init(_ statuses: [Int?]) { self.statuses = LockedValueBox(statuses) }

        func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            requests.withLock { $0.append(request) }
            let isInterrupted = interrupts.withLock { interrupts in
                defer { interrupts = false }
                return interrupts
            }
            if isInterrupted { unsafe withUnsafeCurrentTask { unsafe $0?.cancel() } }
            let status = statuses.withLock { $0.count > 1 ? $0.removeFirst() : $0[0] }
            guard let status else { throw AppStoreServerTransportError.timedOut }
            return AppStoreServerHTTPResponse(status: status)
        }

        func answer(with status: Int?) { statuses.withLock { $0 = [status] } }

        var bodies: [AppStoreJSON] {
            requests.withLock { $0.map { (try? AppStoreJSON(parsing: ($0.body ?? [])[...])) ?? .null } }
        }
    }

    /// A receiver that doesn't answer the first request about a purchase before it is released.
    @available(AppReceiptServer 1.0, *)
    private final class SlowReceiver: AppStoreServerTransport {
        private let receiver: Receiver
        private let isFirst = LockedValueBox(true)
        private let began: AsyncStream<Void>.Continuation
        private let release: AsyncStream<Void>

        init(_ receiver: Receiver, began: AsyncStream<Void>.Continuation, release: AsyncStream<Void>) {
            (self.receiver, self.began, self.release) = (receiver, began, release)
        }

        func send(_ request: AppStoreServerHTTPRequest) async throws -> AppStoreServerHTTPResponse {
            if isFirst.withLock({ isFirst in
                defer { isFirst = false }; return isFirst
            }) {
                began.yield()
                for await _ in release { break }
            }
            return try await receiver.send(request)
        }
    }

    private static let secret = WebhookConfiguration.Secret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    private static let start = instant("2026-01-01T00:00:00Z")

    @available(AppReceiptServer 1.0, *)
    private func with(
        _ statuses: [Int?], format: WebhookConfiguration.Format = .standard,
        _ body: (
            _ store: any EvidenceStore, _ receiver: Receiver,
            _ deliver: @escaping @Sendable (_ after: Double) async -> Void
        ) async throws -> Void
    ) async throws {
        let receiver = Receiver(statuses)
        let webhook = WebhookConfiguration(
            url: "https://example.com/hook", secrets: [Self.secret], format: format, forwardsNotifications: true)
        let time = LockedValueBox(Self.start)
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            let sender = WebhookSender(
                apps: [], allowedHosts: [], store: store, metrics: ServerMetrics(PrometheusRegistry()),
                databaseFailures: DatabaseFailureLog(), logger: CapturedLog().logger, transport: { _ in receiver },
                now: { time.withLock { $0 } })
            // A new webhook begins with what comes next.
            await sender.deliver(to: webhook, of: "com.example.app")
            try await body(store, receiver) { seconds in
                time.withLock { $0 = Self.start + seconds }
                await sender.deliver(to: webhook, of: "com.example.app")
            }
        }
    }

    private func bought(_ transaction: String, app: String = "com.example.app") throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            TestTransaction("com.example.pro", transaction: transaction).with { $0.bundleIdentifier = app })
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An event is sent once, as it is, to the webhook of its app")
    func once() async throws {
        try await with([200]) { store, receiver, deliver in
            try await store.record(bought("1"))
            try await store.record(bought("2", app: "com.example.other"))
            await deliver(1)
            await deliver(2)
            #expect(receiver.bodies.map { $0["originalTransactionIdentifier"]?.string } == ["1"])
            #expect(receiver.bodies.first?["type"]?.string == "activated")
            let headers = receiver.requests.withLock { $0.first?.headers }
            #expect(headers?["webhook-id"] == "evt_1")
            #expect(headers?["webhook-signature"]?.hasPrefix("v1,") == true)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification is forwarded as it was received, unless its body has members that aren't signed")
    func forwardedBody() async throws {
        var app = AppConfiguration(bundleIdentifier: "com.example.app")
        app.webhooks = [
            WebhookConfiguration(
                url: "https://example.com/hook", secrets: [Self.secret], format: .standard, forwardsNotifications: true)
        ]
        var configuration = ServerConfiguration()
        configuration.apps = [app]
        let server = try ReceiptServer(configuration, logger: CapturedLog().logger, metrics: PrometheusRegistry())
        let service = server.service
        let received = Array(#"{"signedPayload":"e30.e30."}"#.utf8)
        let changed = Array(#"{"signedPayload":"e30.e30.","note":"unsigned"}"#.utf8)
        #expect(service.source(ofNotificationOf: "com.example.app", body: received) == .forwarded(body: received))
        #expect(service.source(ofNotificationOf: "com.example.app", body: changed) == .forwarded(body: nil))
        #expect(service.source(ofNotificationOf: "com.example.other", body: received) == .client)
        try await service.store.close()
    }

    @available(AppReceiptServer 1.0, *)
    @Test("An interruption delays only the delivery that it interrupts, and that one by a minute")
    func interrupted() async throws {
        try await with([200]) { store, receiver, deliver in
            for transaction in ["1", "2", "3"] { try await store.record(bought(transaction)) }
            // A second event of the first purchase, after the one that is interrupted.
            try await store.record(bought("1"), account: "ann")
            receiver.interrupts.withLock { $0 = true }
            await deliver(1)
            let first = receiver.bodies.count
            await deliver(2)
            await deliver(60)
            #expect(receiver.requests.withLock(\.count) == 4)
            #expect(first <= 4)
            await deliver(61)
            #expect(receiver.requests.withLock(\.count) == 5)
            await deliver(1000)
            #expect(receiver.requests.withLock(\.count) == 5)
            let identifiers = receiver.requests.withLock { $0.map { $0.headers["webhook-id"] } }
            #expect(Set(identifiers).count == 4)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The events of one purchase are sent in order, and as many batches as there are without a pause")
    func order() async throws {
        let receiver = Receiver([200])
        let webhook = WebhookConfiguration(
            url: "https://example.com/hook", secrets: [Self.secret], format: .standard)
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            let sender = WebhookSender(
                apps: [], allowedHosts: [], store: store, metrics: ServerMetrics(PrometheusRegistry()),
                databaseFailures: DatabaseFailureLog(), logger: CapturedLog().logger, transport: { _ in receiver },
                now: { Self.start })
            await sender.deliver(to: webhook, of: "com.example.app")
            for transaction in 1...40 { try await store.record(bought(String(transaction))) }
            for transaction in 1...40 { try await store.record(bought(String(transaction)), account: "ann") }
            #expect(await sender.deliver(to: webhook, of: "com.example.app"))
            #expect(receiver.bodies.count == 64)
            #expect(await !sender.deliver(to: webhook, of: "com.example.app"))
            let types = Dictionary(grouping: receiver.bodies) { $0["originalTransactionIdentifier"]?.string }
                .mapValues { $0.map { $0["type"]?.string } }
            #expect(types.count == 40)
            #expect(types.values.allSatisfy { $0 == ["activated", "transferred"] })
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receiver that is slow with one purchase gets the events of others meanwhile, and those of one in order")
    func slowPurchase() async throws {
        let receiver = Receiver([200])
        let (begun, began) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        let slow = SlowReceiver(receiver, began: began, release: released)
        let webhook = WebhookConfiguration(
            url: "https://example.com/hook", secrets: [Self.secret], format: .standard)
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            let sender = WebhookSender(
                apps: [], allowedHosts: [], store: store, metrics: ServerMetrics(PrometheusRegistry()),
                databaseFailures: DatabaseFailureLog(), logger: CapturedLog().logger, transport: { _ in slow },
                now: { Self.start })
            let purchases = PurchasesInDelivery()
            @Sendable func deliver() async {
                await sender.deliver(to: webhook, of: "com.example.app", besides: purchases)
            }
            func sent() -> [String?] { receiver.bodies.map { $0["originalTransactionIdentifier"]?.string } }
            await deliver()
            try await store.record(bought("1"))
            async let first: Void = deliver()
            for await _ in begun { break }
            try await store.record(bought("1"), account: "ann")
            try await store.record(bought("2"))
            await deliver()
            #expect(sent() == ["2"])
            release.yield()
            await first
            await deliver()
            #expect(sent() == ["2", "1", "1"])
            #expect(receiver.bodies.last?["type"]?.string == "transferred")
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("What waits for a webhook that isn't configured any more is logged, and sent when it is configured again")
    func removed() async throws {
        let log = CapturedLog()
        let receiver = Receiver([500, 200])
        let webhook = WebhookConfiguration(
            url: "https://example.com/hook?key=secret", secrets: [Self.secret], format: .standard)
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            func sender(_ webhooks: [WebhookConfiguration], after seconds: Double) -> WebhookSender {
                WebhookSender(
                    apps: [AppConfiguration(bundleIdentifier: "com.example.app").with(webhooks)], allowedHosts: [],
                    store: store, metrics: ServerMetrics(PrometheusRegistry()), databaseFailures: DatabaseFailureLog(),
                    logger: log.logger,
                    transport: { _ in receiver }, now: { Self.start + seconds })
            }
            let first = sender([webhook], after: 0)
            await first.storeConfiguration()
            await first.deliver(to: webhook, of: "com.example.app")
            try await store.record(bought("1"))
            await first.deliver(to: webhook, of: "com.example.app")
            #expect(!log.text.contains("isn't configured"))
            await sender([], after: 1).storeConfiguration()
            #expect(log.text.contains("isn't configured"))
            #expect(!log.text.contains("secret"))
            let status = try #require(try await store.webhooks().first)
            #expect(status.waiting == 1)
            #expect(status.removed == (Self.start + 1).milliseconds)
            let again = sender([webhook], after: 10)
            await again.storeConfiguration()
            #expect(try await store.webhooks().map(\.removed) == [nil])
            await again.deliver(to: webhook, of: "com.example.app")
            #expect(receiver.bodies.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The same failure of a webhook is logged once a minute, with the number since")
    func repeatedFailure() async throws {
        let log = CapturedLog()
        let receiver = Receiver([500])
        let webhook = WebhookConfiguration(
            url: "https://example.com/hook", secrets: [Self.secret], format: .standard)
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            let sender = WebhookSender(
                apps: [], allowedHosts: [], store: store, metrics: ServerMetrics(PrometheusRegistry()),
                databaseFailures: DatabaseFailureLog(), logger: log.logger, transport: { _ in receiver },
                now: { Self.start })
            await sender.deliver(to: webhook, of: "com.example.app")
            for transaction in 1...10 { try await store.record(bought(String(transaction))) }
            await sender.deliver(to: webhook, of: "com.example.app")
            #expect(receiver.bodies.count == 10)
            #expect(log.text.split(separator: "\n").count == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Each attempt that fails is logged with its reason, and stored, without the address")
    func failures() async throws {
        let log = CapturedLog()
        let webhook = WebhookConfiguration(
            url: "https://example.com/secret-path", secrets: [Self.secret], format: .standard,
            forwardsNotifications: false)
        let time = LockedValueBox(Self.start)
        let receiver = Receiver([nil, 500, 410])
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            let sender = WebhookSender(
                apps: [], allowedHosts: [], store: store, metrics: ServerMetrics(PrometheusRegistry()),
                databaseFailures: DatabaseFailureLog(), logger: log.logger, transport: { _ in receiver },
                now: { time.withLock { $0 } })
            await sender.deliver(to: webhook, of: "com.example.app")
            try await store.record(bought("1"))
            for _ in 0..<3 {
                await sender.deliver(to: webhook, of: "com.example.app")
                time.withLock { $0 += 3600 }
            }
            for text in ["timed out", "status 500", "status 410", "example.com"] { #expect(log.text.contains(text)) }
            #expect(!log.text.contains("secret-path"))
            let dead = try await store.deadDeliveries(limit: 10)
            #expect(dead.map(\.failure?.reason) == ["status 410"])
            #expect(dead.map(\.failure?.date) == [(Self.start + 7200).milliseconds])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("OpenIAP: the first account of a purchase that is active is granted access, once")
    func firstBinding() async throws {
        try await with([200], format: .openIAP) { store, receiver, deliver in
            try await store.record(bought("1"))
            for _ in 0..<2 { try await store.record(bought("1"), account: "ann") }
            await deliver(1)
            #expect(receiver.bodies.map { $0["eventType"]?.string } == ["entitlement.granted"])
            #expect(receiver.bodies.map { $0["userId"]?.string } == ["ann"])
            try await store.record(
                StoreFixtures.transaction(
                    TestTransaction("com.example.pro", transaction: "2").with {
                        $0.signedDate = instant("2024-12-01T00:00:00Z")
                        $0.revocationDate = instant("2024-08-01T00:00:00Z")
                    }))
            _ = try await store.bind(
                ScopedOriginal(
                    scope: #require(AppScope(app: "com.example.app", .sandbox)), originalTransactionIdentifier: "2"),
                to: "ann")
            await deliver(2)
            #expect(receiver.bodies.count == 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A receiver that fails gets the same event later, until three days are over")
    func retries() async throws {
        try await with([500]) { store, receiver, deliver in
            try await store.record(bought("1"))
            var attempts: [Int] = []
            for seconds in [0, 4, 5, 34, 35, 154, 155, 754, 755, 4354, 4355, 25_954, 25_955, 69_154, 69_155] {
                await deliver(Double(seconds))
                attempts.append(receiver.requests.withLock(\.count))
            }
            #expect(attempts == [1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8])
            for seconds in stride(from: 70_000, through: 400_000, by: 10_000) { await deliver(Double(seconds)) }
            let identifiers = receiver.requests.withLock { $0.map { $0.headers["webhook-id"] } }
            #expect(Set(identifiers) == ["evt_1"])
            #expect(identifiers.count < 15)
            #expect(try await store.deadDeliveries(limit: 10).count == 1)
            // Somebody repaired the receiver.
            receiver.answer(with: 204)
            #expect(
                try await store.replayFailedDeliveries(nil, at: Int64(Self.start.timeIntervalSince1970 * 1000)).replayed
                    .count == 1)
            await deliver(400_001)
            #expect(try await store.deadDeliveries(limit: 10).isEmpty)
            #expect(receiver.requests.withLock(\.count) == identifiers.count + 1)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test(
        "A final answer isn't repeated",
        arguments: [
            (WebhookConfiguration.Format.openIAP, 404, true), (.openIAP, 301, true), (.openIAP, 429, false),
            (.openIAP, 408, false), (.standard, 410, true), (.standard, 404, false),
        ])
    func final(format: WebhookConfiguration.Format, status: Int, isFinal: Bool) async throws {
        try await with([status], format: format) { store, receiver, deliver in
            try await store.record(bought("1"), account: "ann")
            await deliver(0)
            #expect(receiver.requests.withLock(\.count) == 1)
            #expect(try await store.deadDeliveries(limit: 10).count == (isFinal ? 1 : 0))
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A notification is forwarded unchanged")
    func forwarded() async throws {
        try await with([200]) { store, receiver, deliver in
            let notification = try StoreFixtures.notification(1, StoreFixtures.period("1"))
            let body = Array("{ \"signedPayload\" : \"\(notification.notification.token)\" }".utf8)
            _ = try await store.record(
                CustomerEvidence(notifications: [notification]), account: nil, app: nil, from: .forwarded(body: body))
            await deliver(1)
            let bodies = receiver.requests.withLock { $0.map(\.body) }
            #expect(bodies.contains(body))
            #expect(bodies.count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("OpenIAP: a transfer of a purchase that is active ends access for its former account")
    func transfer() async throws {
        try await with([200], format: .openIAP) { store, receiver, deliver in
            try await store.record(bought("1"), account: "ann")
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let purchase = ScopedOriginal(scope: scope, originalTransactionIdentifier: "1")
            #expect(try await store.bind(purchase, to: "ben") == .bound)
            await deliver(1)
            #expect(
                receiver.bodies.map { [$0["eventType"]?.string, $0["userId"]?.string] } == [
                    ["entitlement.granted", "ann"], ["entitlement.revoked", "ann"], ["entitlement.granted", "ben"],
                ])
            #expect(Set(receiver.bodies.compactMap { $0["eventId"]?.string }).count == 3)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("OpenIAP gets its own envelope with our event in it, and names what the protocol names")
    func openIAP() async throws {
        try await with([200], format: .openIAP) { store, receiver, deliver in
            let period = TestTransaction(
                "com.example.plus", transaction: "1", at: instant("2024-06-01T00:00:00Z"),
                until: instant("2024-07-01T00:00:00Z"))
            try await store.record(StoreFixtures.transaction(period), account: "ann")
            // One-time purchases have no event without a user.
            try await store.record(bought("2"))
            try await store.record(bought("3"), account: "ann")
            await deliver(1)
            let bodies = receiver.bodies.sorted { $0["eventType"]?.string ?? "" > $1["eventType"]?.string ?? "" }
            #expect(bodies.map { $0["eventType"]?.string } == ["subscription.expired", "entitlement.granted"])
            #expect(bodies.map { $0["userId"]?.string } == ["ann", "ann"])
            #expect(bodies[0]["subscription"]?["active"] == false)
            #expect(bodies[0]["appReceiptEvent"]?["type"]?.string == "expired")
            #expect(Set(bodies.compactMap { $0["eventId"]?.string }).count == 2)
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("Webhooks of two apps with one address each have their own events")
    func sharedAddress() async throws {
        try await with([500]) { store, receiver, deliver in
            let webhook = WebhookConfiguration(
                url: "https://example.com/hook", secrets: [Self.secret], format: .standard)
            let sender = WebhookSender(
                apps: [], allowedHosts: [], store: store, metrics: ServerMetrics(PrometheusRegistry()),
                databaseFailures: DatabaseFailureLog(), logger: CapturedLog().logger, transport: { _ in receiver },
                now: { Self.start })
            await sender.deliver(to: webhook, of: "com.example.other")
            try await store.record(bought("1"))
            try await store.record(bought("2", app: "com.example.other"))
            await deliver(0)
            await sender.deliver(to: webhook, of: "com.example.other")
            #expect(receiver.bodies.map { $0["originalTransactionIdentifier"]?.string } == ["1", "2"])
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("A change that is two events changes access once")
    func accessOnce() async throws {
        let (start, end) = (Date().addingTimeInterval(-86_400), Date().addingTimeInterval(86_400 * 30))
        let first = TestTransaction(
            "com.example.plus", transaction: "1", at: start - 86_400 * 30, until: start
        ).with { $0.signedDate = start - 86_400 * 30 }
        let failed = TestRenewalInfo("com.example.plus", original: "1").with {
            $0.signedDate = start + 60
            $0.autoRenewStatus = .on
            $0.isInBillingRetryPeriod = true
        }
        let recovered = TestTransaction(
            "com.example.plus", transaction: "2", original: "1", at: start + 3600, until: end
        )
        .with { $0.signedDate = start + 3600 }
        let off = TestRenewalInfo("com.example.plus", original: "1").with {
            $0.signedDate = start + 3600
            $0.autoRenewStatus = .off
        }
        try await with([200], format: .openIAP) { store, receiver, deliver in
            func record(_ transaction: TestTransaction, _ renewal: TestRenewalInfo) async throws {
                let verifier = SignedDataVerifier(anchors: try TestPKI.signedData.anchors)
                let anything = SignedDataExpectations(
                    bundleIdentifier: .anyBundle, environments: .anyEnvironment, appAppleIdentifier: .anyApp)
                let evidence = CustomerEvidence(
                    transactions: [try StoreFixtures.transaction(transaction)],
                    renewals: [try verifier.verifyRenewalInfo(renewal.signed(), expecting: anything)])
                _ = try await store.record(
                    evidence, account: "ann", app: .trusted("com.example.app"), from: .client)
            }
            try await record(first, failed)
            try await record(recovered, off)
            await deliver(1)
            let types = receiver.bodies.compactMap { $0["eventType"]?.string }
            #expect(
                types == [
                    "subscription.entered_billing_retry", "subscription.recovered", "entitlement.granted",
                    "subscription.canceled",
                ])
        }
    }
}
#endif
