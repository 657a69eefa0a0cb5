#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@Suite("Events of entitlements")
struct EventTests {
    /// A period of a subscription from one month to the next.
    private static func period(_ identifier: String, month: Int, product: String = "com.example.plus")
        -> TestTransaction
    {
        TestTransaction(
            product, transaction: identifier, original: "1", at: date(month: month), until: date(month: month + 1)
        ).with { $0.signedDate = date(month: month) + 1 }
    }

    private static func date(month: Int) -> Date { instant("2024-\(month < 10 ? "0" : "")\(month)-01T00:00:00Z") }

    private static func refunded(_ identifier: String, month: Int, product: String) -> TestTransaction {
        period(identifier, month: month, product: product).with {
            $0.revocationDate = date(month: month) + 86_400
            $0.signedDate = date(month: month) + 90_000
        }
    }

    private func types(_ store: any EvidenceStore, after cursor: Int64 = 0) async throws -> [String] {
        try await store.events(after: cursor, limit: 1000, apps: nil).events.map(\.type.rawValue)
    }

    @Test(
        "Each change of a purchase is recorded once, and begins where the one before ended",
        arguments: StoreEngine.allCases)
    func once(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["9"])
            let refund = try StoreFixtures.transaction(
                TestTransaction("com.example.pro", transaction: "9", at: instant("2024-06-01T00:00:00Z")).with {
                    $0.revocationDate = instant("2024-08-01T00:00:00Z")
                    $0.signedDate = instant("2024-12-01T00:00:00Z")
                })
            for _ in 0..<2 {
                try await store.record(receipt)
                try await store.record(refund)
            }
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.type) == [.activated, .refunded])
            #expect(events[0].before == nil)
            #expect(events[1].before == events[0].after)
            #expect(events.map(\.cause.kind) == [.receipt, .transaction])
            #expect(events.allSatisfy { $0.originalTransactionIdentifier == "9" })
        }
    }

    @Test(
        "The same history in every order ends with the same state, without two events for one cause",
        arguments: StoreEngine.allCases)
    func orders(engine: StoreEngine) async throws {
        let history = [
            try StoreFixtures.transaction(Self.period("1", month: 1)),
            try StoreFixtures.transaction(Self.period("2", month: 2)),
            try StoreFixtures.transaction(Self.period("3", month: 3, product: "com.example.yearly")),
            try StoreFixtures.transaction(Self.refunded("3", month: 3, product: "com.example.yearly")),
        ]
        var last: Set<[String?]> = []
        for order in [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1], [1, 3, 0, 2]] {
            try await engine.withStore { store async throws in
                for index in order { try await store.record(history[index]) }
                let events = try await store.events(after: 0, limit: 100, apps: nil).events
                let state = events.last?.after.flatMap { try? AppStoreJSON(parsing: Array($0.utf8)[...]) }?.object?[
                    "state"]
                last.insert([events.last?.type.rawValue, events.last?.productIdentifier, state?.string])
                for index in order { try await store.record(history[index]) }
                #expect(try await types(store).count == events.count)
            }
        }
        #expect(last == [["refunded", "com.example.yearly", "refunded"]])
    }

    @Test("A notification is the cause of what it changes, with its type and UUID", arguments: StoreEngine.allCases)
    func notifications(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let notification = try StoreFixtures.notification(1, Self.period("1", month: 1))
            try await store.record(notification)
            try await store.record(notification)
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.count == 1)
            #expect(events[0].cause.kind == .notification)
            #expect(events[0].cause.notificationType == "DID_RENEW")
            #expect(events[0].cause.notificationUUID == "00000000-0000-4000-8000-000000000001")
        }
    }

    @Test("A withdrawn consent is an event without a purchase, once", arguments: StoreEngine.allCases)
    func rescinded(engine: StoreEngine) async throws {
        let notification = try StoreFixtures.notification(1, nil) { $0.notificationType = .rescindConsent }
        try await engine.withStore { store async throws in
            for _ in 0..<2 { try await store.record(notification) }
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.type) == [.consentRescinded])
            #expect(events.first?.originalTransactionIdentifier == nil)
        }
    }

    @Test("Another owner is a transfer, the one of its first event isn't", arguments: StoreEngine.allCases)
    func transfers(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: "1")
            #expect(try await store.bind(original, to: "ben") == .bound)
            #expect(try await store.bind(original, to: "ben") == .bound)
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.type) == [.activated, .transferred])
            #expect(events.map(\.account) == ["ann", "ben"])
            #expect(events.map(\.formerAccount) == [nil, "ann"])
            #expect(events.last?.cause.kind == .request)
            #expect(try await store.forget("ann") == 0)
            #expect(try await store.events(after: 1, limit: 10, apps: nil).events.map(\.formerAccount) == [nil])
        }
    }

    @Test("Forgetting an account removes its name from events, and no other", arguments: StoreEngine.allCases)
    func forgottenNames(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            let original = ScopedOriginal(scope: scope, originalTransactionIdentifier: "1")
            #expect(try await store.bind(original, to: "ben") == .bound)
            #expect(try await store.forget("ben") == 1)
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.account) == ["ann", nil])
            #expect(events.map(\.formerAccount) == [nil, "ann"])
        }
    }

    @Test(
        "The first account of a purchase that was reported without one is a transfer, whatever binds it",
        arguments: StoreEngine.allCases, ["evidence", "request", "token"])
    func firstBinding(engine: StoreEngine, by binding: String) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.notification(1, StoreFixtures.period("2")))
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            var owner = "ann"
            for _ in 0..<2 {
                switch binding {
                case "evidence":
                    try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")), account: owner)
                case "request":
                    _ = try await store.bind(
                        ScopedOriginal(scope: scope, originalTransactionIdentifier: "1"), to: owner)
                default:
                    owner = StoreFixtures.alice.uuidString.lowercased()
                    try await store.record(
                        StoreFixtures.transaction(
                            StoreFixtures.period("2", signed: "2024-12-02T00:00:00Z", token: StoreFixtures.alice)))
                }
            }
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.type) == [.expired, .transferred])
            #expect(events.map(\.account) == [nil, owner])
            #expect(events[1].before == events[0].after)
            #expect(events[1].after == events[0].after)
        }
    }

    @Test(
        "Several changes of one cause have the same entitlements before and after; a change of product is one",
        arguments: StoreEngine.allCases)
    func severalChanges(engine: StoreEngine) async throws {
        func notification(
            _ number: Int, _ identifier: String, month: Int, product: String = "com.example.plus",
            status: AutoRenewStatus
        ) throws -> VerifiedNotification {
            let signed = RFC3339.string(from: Self.date(month: month) + 2)
            return try StoreFixtures.notification(
                number, Self.period(identifier, month: month, product: product),
                renewal: StoreFixtures.renewal(signed: signed, status: status)
            ) { $0.signedDate = Self.date(month: month) + 3 }
        }
        // The time is before the end of each period.
        let now = LockedValueBox(Self.date(month: 1) + 10)
        try await engine.withDatabase { database async throws in
            let store = try database.open(clock: { now.withLock(\.self) })
            func record(_ notification: VerifiedNotification, month: Int) async throws {
                now.withLock { $0 = Self.date(month: month) + 10 }
                try await store.record(notification)
            }
            // Whether it renews is learned without an event.
            try await store.record(StoreFixtures.transaction(Self.period("1", month: 1)))
            try await store.record(StoreFixtures.renewal(signed: "2024-01-01T00:00:02Z"))
            try await record(notification(1, "2", month: 2, status: .off), month: 2)
            try await record(notification(2, "3", month: 3, status: .on), month: 3)
            try await record(
                notification(3, "4", month: 4, product: "com.example.yearly", status: .off), month: 4)
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(
                events.map(\.type) == [
                    .activated, .renewed, .renewalTurnedOff, .renewed, .renewalTurnedOn, .productChanged,
                ])
            for (first, second) in [(1, 2), (3, 4)] where events.count == 6 {
                #expect(events[first].before == events[second].before)
                #expect(events[first].after == events[second].after)
                #expect(events[first].cause == events[second].cause)
            }
            try await store.close()
            guard events.count == 6 else { return }
            #expect(events[0].after?.contains(#""willRenew":null"#) == true)
            #expect(events[1].before?.contains(#""willRenew":true"#) == true)
            #expect(events[1].after?.contains(#""willRenew":false"#) == true)
            #expect(events[3].before == events[2].after)
            #expect(events[5].before == events[4].after)
            #expect(events[5].after?.contains(#""willRenew":false"#) == true)
        }
    }

    @Test("A first account comes before the change in the same evidence", arguments: StoreEngine.allCases)
    func boundAndChanged(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await store.record(StoreFixtures.transaction(Self.period("1", month: 1)))
            try await store.record(
                StoreFixtures.transaction(Self.refunded("1", month: 1, product: "com.example.plus")), account: "ann")
            let events = try await store.events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.type) == [.expired, .transferred, .refunded])
            #expect(events.map(\.account) == [nil, "ann", "ann"])
        }
    }

    @Test("A cursor beyond the last event is answered with that one", arguments: StoreEngine.allCases)
    func beyondEnd(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.events(after: 9, limit: 10, apps: nil).next == 0)
            try await store.record(StoreFixtures.receipt(["1"]))
            #expect(try await store.events(after: 9, limit: 10, apps: nil).next == 1)
            #expect(try await store.events(after: 1, limit: 10, apps: nil).next == 1)
        }
    }

    @Test("What only time changes is recorded once, by whichever store notices", arguments: StoreEngine.persistent)
    func time(engine: StoreEngine) async throws {
        let running = TestTransaction(
            "com.example.plus", transaction: "1", at: instant("2024-01-01T00:00:00Z"),
            until: instant("2024-02-01T00:00:00Z")
        ).with { $0.signedDate = instant("2024-01-01T00:00:01Z") }
        try await engine.withDatabase { database async throws in
            let clock: @Sendable () -> Date = { instant("2024-01-15T00:00:00Z") }
            let stores = [try database.open(clock: clock), try database.open(clock: clock)]
            try await stores[0].record(StoreFixtures.transaction(running))
            let due = try await stores[0].recordDueEvents(at: instant("2024-01-15T00:00:00Z"))
            #expect(due == instant("2024-02-01T00:00:00Z").milliseconds)
            for store in stores { _ = try await store.recordDueEvents(at: instant("2024-02-01T00:00:00Z")) }
            let events = try await stores[1].events(after: 0, limit: 10, apps: nil).events
            #expect(events.map(\.type) == [.activated, .expired])
            #expect(events.last?.cause.kind == .time)
            #expect(events.last?.date == instant("2024-02-01T00:00:00Z").milliseconds)
            // Until it is final, it becomes due later, and in the end never.
            var next = try await stores[0].recordDueEvents(at: instant("2024-02-02T00:00:00Z"))
            while let date = next {
                next = try await stores[0].recordDueEvents(at: Date(timeIntervalSince1970: Double(date) / 1000))
                #expect(next.map { $0 > date } ?? true)
            }
            #expect(try await types(stores[0]).count == 2)
            for store in stores { try await store.close() }
        }
    }

    @Test("A page continues after its cursor, and passes over other apps", arguments: StoreEngine.allCases)
    func pages(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.events(after: 0, limit: 10, apps: nil) == EventPage(events: [], next: 0))
            for number in 1...5 {
                try await store.record(
                    StoreFixtures.transaction(
                        TestTransaction("com.example.pro", transaction: "\(number)").with {
                            if number.isMultiple(of: 2) { $0.bundleIdentifier = "com.example.other" }
                        }))
            }
            var found: [String?] = []
            var page = try await store.events(after: 0, limit: 2, apps: nil)
            while !page.events.isEmpty {
                found += page.events.map(\.originalTransactionIdentifier)
                page = try await store.events(after: page.next, limit: 2, apps: nil)
            }
            #expect(found == ["1", "2", "3", "4", "5"])
            let others = try await store.events(after: 0, limit: 10, apps: ["com.example.other"])
            #expect(others.events.map(\.originalTransactionIdentifier) == ["2", "4"])
            #expect(others.next == page.next)
            #expect(try await store.events(after: 0, limit: 10, apps: ["com.example.none"]).next == page.next)
            for (apps, found) in [(nil, found), (Set(["com.example.other"]), ["2", "4"])] {
                let sandbox = try await store.events(after: 0, limit: 10, apps: apps, environments: [.sandbox])
                #expect(sandbox.events.map(\.originalTransactionIdentifier) == found)
                #expect(sandbox.next == page.next)
                let none = try await store.events(after: 0, limit: 10, apps: apps, environments: [.production])
                #expect(none.events.isEmpty && none.next == page.next)
            }
        }
    }

    @Test(
        "A purchase whose evidence can't be read when it changes is read again later, beside others",
        arguments: StoreEngine.persistent)
    func unreadable(engine: StoreEngine) async throws {
        let clock: @Sendable () -> Date = { Self.date(month: 3) }
        try await engine.withDatabase { database async throws in
            var store = try database.open(.testsAndFormer, clock: clock)
            // Its evidence isn't readable without the root that signed its refund.
            try await store.record(
                StoreFixtures.transaction(
                    Self.refunded("1", month: 1, product: "com.example.plus"), by: StoreFixtures.formerPKI))
            let told = try await types(store)
            try await store.close()

            store = try database.open(clock: clock)
            for transaction in [
                Self.period("3", month: 3),
                TestTransaction("com.example.pro", transaction: "9", at: Self.date(month: 3)),
            ] {
                try await store.record(StoreFixtures.transaction(transaction))
            }
            #expect(try await types(store) == told + ["activated"])
            let hourLater = Self.date(month: 3) + 3600
            #expect(try await store.recordDueEvents(at: Self.date(month: 3)) == hourLater.milliseconds)
            #expect(
                try await store.recordDueEvents(at: hourLater) == (hourLater + 3600).milliseconds)
            try await store.close()

            store = try database.open(.testsAndFormer, clock: clock)
            _ = try await store.recordDueEvents(at: hourLater + 3600)
            #expect(try await types(store).count == told.count + 2)
            try await store.close()
        }
    }
}
#endif
