#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptTesting
import AppStoreSignedData
import StoreTestSupport
import Testing

@Suite("Requests to the App Store")
struct AppStoreQueueTests {
    private static func scope(_ environment: AppStoreEnvironment = .sandbox) throws -> AppScope {
        try #require(AppScope(app: "com.example.app", environment))
    }

    private static func original(_ identifier: String) throws -> ScopedOriginal {
        ScopedOriginal(scope: try scope(), originalTransactionIdentifier: identifier)
    }

    @Test(
        "An original transaction is due until it is complete, those of a receipt together",
        arguments: StoreEngine.allCases)
    func queue(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let scope = try Self.scope()
            try await store.record(StoreFixtures.receipt(["1", "3"]))
            for (original, due) in [("1", 10), ("2", 20), ("3", 30), ("1", 5)] as [(String, Int64)] {
                try await store.enqueue([original], in: scope, due: due, ifNotCompletedAfter: 0)
            }
            #expect(try await store.pendingCompletions() == 3)
            #expect(try await store.scopesOfDueCompletions(at: 9).isEmpty)
            #expect(try await store.scopesOfDueCompletions(at: 10) == [scope])
            let due = try await store.dueCompletions(in: scope, at: 30, limit: 10)
            #expect(due.map { $0.map(\.originalTransactionIdentifier) } == [["1", "3"], ["2"]])
            #expect(try await store.dueCompletions(in: scope, at: 30, limit: 1) == [[Self.original("1")]])
            #expect(try await store.dueCompletions(in: Self.scope(.production), at: 30, limit: 10).isEmpty)

            try await store.postpone(Self.original("2"), attempts: 1, due: 40, ifNotCompletedAfter: 0)
            #expect(try await store.complete(["1", "3", "7"], answering: Self.original("1"), revision: "x", at: 35))
            #expect(try await store.pendingCompletions() == 1)
            #expect(try await store.dueCompletions(in: scope, at: 39, limit: 10).isEmpty)
            let known = try await store.completions(of: ["1", "2", "7", "8"], in: scope)
            #expect(Set(known.keys) == ["1", "2", "7"])
            #expect(known["1"]?.completed == 35 && known["1"]?.revision == "x" && known["1"] == known["7"])
            #expect(known["2"]?.completed == nil && known["2"]?.attempts == 1)
        }
    }

    @Test(
        "What the App Store answers about a purchase that was forgotten meanwhile isn't stored",
        arguments: StoreEngine.allCases)
    func forgottenMeanwhile(_ engine: StoreEngine) async throws {
        let answer = CustomerEvidence(transactions: [
            try StoreFixtures.transaction(StoreFixtures.period("2")),
            try StoreFixtures.transaction(StoreFixtures.period("9", of: "9")),
        ])
        try await engine.withStore { store async throws in
            let (scope, request) = (try Self.scope(), try Self.original("1"))
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann")
            try await store.enqueue(["1"], in: scope, due: 1, ifNotCompletedAfter: 0)
            #expect(try await store.forgetCount() == 0)
            #expect(try await store.forget("ann") == 1)
            #expect(try await store.forgetCount() == 1)
            #expect(try await !store.record(answer, answering: request).isStored)
            #expect(try await !store.complete(["1", "9"], answering: request, revision: "x", at: 5))
            for original in ["1", "9"] { #expect(try await store.originals(of: original) == []) }
            #expect(try await store.completions(of: ["1", "9"], in: scope).isEmpty)
            // Submitted again.
            try await store.enqueue(["1"], in: scope, due: 6, ifNotCompletedAfter: 0)
            #expect(try await store.record(answer, answering: request).newCount == 2)
            #expect(try await store.complete(["1", "9"], answering: request, revision: "x", at: 7))
        }
    }

    @Test("An original transaction that was completed in the meantime isn't due again", arguments: StoreEngine.allCases)
    func completedMeanwhile(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let scope = try Self.scope()
            try await store.enqueue(["1"], in: scope, due: 1, ifNotCompletedAfter: 0)
            #expect(try await store.complete(["1"], answering: Self.original("1"), revision: nil, at: 5))
            try await store.enqueue(["1"], in: scope, due: 6, ifNotCompletedAfter: 4)
            try await store.postpone(Self.original("1"), attempts: 1, due: 6, ifNotCompletedAfter: 4)
            #expect(try await store.pendingCompletions() == 0)
            try await store.enqueue(["1"], in: scope, due: 6, ifNotCompletedAfter: 5)
            #expect(try await store.pendingCompletions() == 1)
        }
    }

    @Test(
        "The newest signed date of an original transaction is that of its transactions and receipts",
        arguments: StoreEngine.allCases)
    func newestSignedDate(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.newestSignedDate(of: Self.original("1")) == nil)
            try await store.record(StoreFixtures.receipt(["1"], made: "2024-08-01T00:00:00Z"))
            #expect(try await store.newestSignedDate(of: Self.original("1")) == 1_722_470_400_000)
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("2", signed: "2024-08-01T00:00:01Z")))
            #expect(try await store.newestSignedDate(of: Self.original("1")) == 1_722_470_401_000)
        }
    }

    @Test("The apps and environments of the evidence are known", arguments: StoreEngine.allCases)
    func scopes(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            #expect(try await store.scopes().isEmpty)
            try await store.record(StoreFixtures.renewal())
            try await store.record(StoreFixtures.receipt(["1"]) { $0.environment = .production })
            #expect(try await store.scopes() == [Self.scope(.production), Self.scope()])
        }
    }

    @Test("The position in the notification history is stored for each app", arguments: StoreEngine.allCases)
    func position(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let scope = try Self.scope()
            #expect(try await store.catchUpPosition(of: scope) == CatchUpPosition())
            for position in [CatchUpPosition(periodLength: 5), CatchUpPosition(reached: 7, periodLength: nil)] {
                try await store.setCatchUpPosition(position, of: scope, leaving: nil)
                #expect(try await store.catchUpPosition(of: scope) == position)
            }
            #expect(try await store.catchUpPosition(of: Self.scope(.production)) == CatchUpPosition())
        }
    }

    @Test(
        "A gap that begins where a known one does neither shortens it nor resets its attempts",
        arguments: StoreEngine.allCases)
    func gaps(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let scope = try Self.scope()
            for (end, attempts) in [(50, 3), (20, 1), (60, 1)] as [(Int64, Int)] {
                try await store.setCatchUpPosition(
                    CatchUpPosition(reached: end), of: scope,
                    leaving: NotificationGap(period: 10..<end, attempts: attempts, due: 70))
            }
            var gap = NotificationGap(period: 10..<60, attempts: 3, due: 70)
            #expect(try await store.gaps(in: scope) == [gap])
            (gap.attempts, gap.due) = (4, 80)
            try await store.update(gap, in: scope)
            #expect(try await store.gaps(in: scope) == [gap])
            try await store.remove(gap, in: Self.scope(.production))
            #expect(try await store.gaps(in: scope) == [gap])
            try await store.remove(gap, in: scope)
            #expect(try await store.gaps(in: scope).isEmpty)
        }
    }
}
#endif
