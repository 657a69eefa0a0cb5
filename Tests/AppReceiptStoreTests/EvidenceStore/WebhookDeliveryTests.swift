#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptTesting
import AppStoreSignedData
import StoreTestSupport
import TestSupport
import Testing

@Suite("Deliveries to webhooks")
struct WebhookDeliveryTests {
    private static func bought(_ transaction: String, app: String = "com.example.app") throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            TestTransaction("com.example.pro", transaction: transaction).with { $0.bundleIdentifier = app })
    }

    private static func enqueue(_ store: any EvidenceStore, _ webhook: String = "hook", at date: Int64 = 0) async throws
    {
        try await store.enqueueDeliveries(
            to: webhook, app: "com.example.app", includesNotifications: false, at: date)
    }

    @Test(
        "A new webhook begins with what comes next, and gets each event of its app once",
        arguments: StoreEngine.allCases)
    func beginning(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(Self.bought("1"))
            try await Self.enqueue(store)
            try await store.record(Self.bought("2"))
            try await store.record(Self.bought("3", app: "com.example.other"))
            for _ in 0..<2 { try await Self.enqueue(store) }
            var originals: [String?] = []
            while let taken = try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100) {
                guard case .event(let event) = taken.content else { continue }
                originals.append(event.originalTransactionIdentifier)
            }
            #expect(originals == ["2"])
        }
    }

    @Test(
        "What is taken is taken again only after its lease, and what is delivered never",
        arguments: StoreEngine.allCases)
    func leases(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await Self.enqueue(store)
            try await store.record(Self.bought("1"))
            try await Self.enqueue(store)
            let first = try #require(try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100))
            #expect(try await store.takeDelivery(to: "hook", at: 99, leasedUntil: 200) == nil)
            let again = try await store.takeDelivery(to: "hook", at: 100, leasedUntil: 200)
            #expect(again?.number == first.number)
            try await store.finish(first, as: .delivered, because: nil)
            #expect(try await store.takeDelivery(to: "hook", at: 1000, leasedUntil: 2000) == nil)
        }
    }

    @Test("A postponed delivery is due later, a dead one when it is replayed", arguments: StoreEngine.allCases)
    func outcomes(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await Self.enqueue(store)
            try await store.record(Self.bought("1"))
            try await Self.enqueue(store)
            let first = try #require(try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100))
            try await store.finish(first, as: .postponed(until: 500), because: nil)
            #expect(try await store.takeDelivery(to: "hook", at: 499, leasedUntil: 600) == nil)
            let second = try #require(try await store.takeDelivery(to: "hook", at: 500, leasedUntil: 600))
            #expect(second.attempts == 1)
            let failure = DeliveryFailure(date: 510, reason: "status 410")
            try await store.finish(second, as: .dead, because: failure)
            #expect(try await store.takeDelivery(to: "hook", at: 1_000_000, leasedUntil: 1_000_001) == nil)
            let dead = try await store.deadDeliveries(limit: 10)
            #expect(dead.map(\.attempts) == [2])
            #expect(dead.map(\.failure) == [failure])
            #expect(try await store.replayFailedDeliveries([dead[0].number + 1], at: 2_000_000).replayed.isEmpty)
            #expect(try await store.replayFailedDeliveries([dead[0].number], at: 2_000_000).replayed.count == 1)
            let replayed = try await store.takeDelivery(to: "hook", at: 2_000_000, leasedUntil: 2_000_001)
            #expect(replayed?.attempts == 0)
            #expect(replayed?.firstDue == 2_000_000)
        }
    }

    @Test("What is given back is due at once, in its order", arguments: StoreEngine.allCases)
    func release(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await Self.enqueue(store)
            for transaction in ["1", "2", "3"] { try await store.record(Self.bought(transaction)) }
            try await Self.enqueue(store)
            let taken = try await store.takeDeliveries(to: "hook", at: 0, leasedUntil: 100, limit: 2)
            #expect(taken.map(\.original) == ["1", "2"])
            try await store.release(taken)
            let again = try await store.takeDeliveries(to: "hook", at: 1, leasedUntil: 100, limit: 5)
            #expect(again.map(\.original) == ["1", "2", "3"])
        }
    }

    @Test("Deliveries to a webhook that isn't configured any more aren't replayed", arguments: StoreEngine.allCases)
    func removed(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.setWebhooks(["hook"], at: 0)
            try await Self.enqueue(store)
            try await store.record(Self.bought("1"))
            try await Self.enqueue(store)
            let delivery = try #require(try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100))
            try await store.finish(delivery, as: .dead, because: nil)
            try await store.setWebhooks([], at: 5)
            try await store.setWebhooks([], at: 6)
            let status = WebhookStatus(webhook: "hook", waiting: 0, dead: 1, removed: 5)
            #expect(try await store.webhooks() == [status])
            let refused = try await store.replayFailedDeliveries(nil, at: 10)
            #expect(refused == ReplayResult(replayed: [], removed: [delivery.number]))
            try await store.setWebhooks(["hook"], at: 7)
            let replayed = try await store.replayFailedDeliveries([delivery.number, 99], at: 10)
            #expect(replayed == ReplayResult(replayed: [delivery.number], removed: []))
        }
    }

    @Test("A webhook's name is shown without secrets, and has a stable fingerprint")
    func names() {
        let name = WebhookName(app: "com.example.app", url: "https://user:pass@example.com/hook/a?key=1#x")
        #expect(name.shownURL == "https://example.com/hook/a")
        #expect(WebhookName(parsing: name.text) == name)
        #expect(name.fingerprint.count == 8)
        #expect(name.fingerprint != WebhookName(app: "com.example.app", url: "https://example.com/hook/a").fingerprint)
    }

    @Test(
        "A notification is forwarded once, to webhooks that want it, and isn't an event",
        arguments: StoreEngine.allCases)
    func notifications(engine: StoreEngine) async throws {
        let evidence = CustomerEvidence(notifications: [
            try StoreFixtures.notification(1, StoreFixtures.period("2"))
        ])
        try await engine.withStore { store async throws in
            for webhook in ["with", "without"] { try await Self.enqueue(store, webhook) }
            for _ in 0..<2 {
                _ = try await store.record(evidence, account: nil, app: nil, from: .forwarded(body: [1, 2, 3]))
            }
            for (webhook, includes) in [("with", true), ("without", false)] {
                try await store.enqueueDeliveries(
                    to: webhook, app: "com.example.app", includesNotifications: includes, at: 0)
                var bodies: [[UInt8]] = []
                while let taken = try await store.takeDelivery(to: webhook, at: 0, leasedUntil: 100) {
                    guard case .notification(let body) = taken.content else { continue }
                    bodies.append(body)
                }
                #expect(bodies == (includes ? [[1, 2, 3]] : []))
            }
            let events = try await store.events(after: 0, limit: 10, apps: nil)
            #expect(events.events.allSatisfy { $0.after != nil })
        }
    }

    @Test(
        "A notification about a forgotten purchase is neither sent nor stored, given up or not",
        arguments: StoreEngine.allCases)
    func forgotten(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            func enqueue() async throws {
                try await store.enqueueDeliveries(
                    to: "hook", app: "com.example.app", includesNotifications: true, at: 0)
            }
            func forward(_ number: Int, _ transaction: TestTransaction) async throws {
                _ = try await store.record(
                    CustomerEvidence(notifications: [try StoreFixtures.notification(number, transaction)]),
                    account: nil, app: nil, from: .forwarded(body: [UInt8(number)]))
            }
            func isNotification(_ delivery: WebhookDelivery) -> Bool {
                if case .notification = delivery.content { true } else { false }
            }
            try await enqueue()
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            try await forward(1, StoreFixtures.period("2"))
            try await enqueue()
            while let taken = try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100) {
                try await store.finish(taken, as: isNotification(taken) ? .dead : .delivered, because: nil)
            }
            #expect(try await store.deadDeliveries(limit: 10).count == 1)
            try await forward(2, StoreFixtures.period("3"))
            try await forward(3, StoreFixtures.period("9", of: "9"))
            try await enqueue()
            try await forward(4, StoreFixtures.period("4"))
            #expect(try await store.forget("ann") == 1)
            try await enqueue()
            #expect(try await store.deadDeliveries(limit: 10).isEmpty)
            var bodies: [[UInt8]] = []
            while let taken = try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100) {
                if case .notification(let body) = taken.content { bodies.append(body) }
            }
            #expect(bodies == [[3]])
        }
    }

    @Test(
        "A notification that wasn't received is forwarded as Apple sends it, once, whichever is first",
        arguments: [true, false])
    func forwardedWithoutBody(readsHistoryFirst: Bool) async throws {
        let notification = try StoreFixtures.notification(1, StoreFixtures.period("2"))
        let apples = Array("{\"signedPayload\":\"\(notification.notification.token)\"}".utf8)
        let received = Array("{ \"signedPayload\": \"\(notification.notification.token)\" }".utf8)
        try await StoreEngine.sqliteInMemory.withStore { store async throws in
            try await Self.enqueue(store)
            let sources: [[UInt8]?] = readsHistoryFirst ? [nil, received] : [received, nil]
            for body in sources {
                _ = try await store.record(
                    CustomerEvidence(notifications: [notification]), account: nil, app: nil,
                    from: .forwarded(body: body))
            }
            try await store.enqueueDeliveries(
                to: "hook", app: "com.example.app", includesNotifications: true, at: 0)
            var bodies: [[UInt8]] = []
            while let taken = try await store.takeDelivery(to: "hook", at: 0, leasedUntil: 100) {
                if case .notification(let body) = taken.content { bodies.append(body) }
            }
            #expect(bodies == [readsHistoryFirst ? apples : received])
        }
    }
}
#endif
