#if Server
import AppReceiptKit
import AppReceiptTesting
import Foundation
import GRDB
import Testing
import VerifyReceipt
import AppReceiptSupport

@testable import AppReceiptServer

@Suite("GroupCommit")
struct GroupCommitTests {
    private struct Fault: Error {}

    private func withTable(
        _ limits: StoreLimits = .default, _ body: (GroupCommit, any DatabaseWriter) async throws -> Void
    ) async throws {
        let database = try StoreDatabase.writer(at: nil)
        try await database.write { try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY)") }
        try await body(GroupCommit(database, limits: limits), database)
    }

    /// Whether it comes true within ten seconds.
    private func becomes(_ condition: () async throws -> Bool) async throws -> Bool {
        for _ in 0..<10_000 {
            if try await condition() { return true }
            try await Task.sleep(for: .milliseconds(1))
        }
        return false
    }

    /// A database that waits half a second for others, and one of them that holds it until it is let go.
    private func withHeld(
        _ limits: StoreLimits = .default,
        _ body: (GroupCommit, any DatabaseWriter, _ letGo: () async throws -> Void) async throws -> Void
    ) async throws {
        try await withDatabasePath { path async throws in
            let database = try StoreDatabase.writer(at: path, busyTimeout: 0.5)
            try await database.write { try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY)") }
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            try await body(GroupCommit(database, limits: limits), database) {
                try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            }
            try other.close()
            try database.close()
        }
    }

    @Test("a database that another holds is waited for once by all that were to be committed together")
    func held() async throws {
        try await withHeld { commit, database, letGo async throws in
            let clock = ContinuousClock()
            let start = clock.now
            let refusals = await withTaskGroup { group in
                for number in 0..<256 {
                    group.addTask { await refusal { try await commit(Self.insert(number)) } }
                }
                return await group.reduce(into: [StoreError?: Int]()) { $0[$1, default: 0] += 1 }
            }
            #expect(refusals == [.locked: 256])
            // The first writes may go before the rest: two or three times half a second, not 256 times.
            #expect(start.duration(to: clock.now) < .seconds(15))
            #expect(await commit.pending == 0)
            try await letGo()
            #expect(try await commit(Self.insert(1)).isNew)
            #expect(try await numbers(database) == [1])
        }
    }

    @Test("closing tries what waits once and together, whatever keeps it from being written")
    func closeHeld() async throws {
        var limits = StoreLimits()
        limits.writesPerCommit = 2
        try await withHeld(limits) { commit, database, letGo async throws in
            let answered = LockedValueBox(0)
            let tasks = (0..<200).map { number in
                Task {
                    let refusal = await refusal { try await commit(Self.insert(number)) }
                    answered.withLock { $0 += 1 }
                    return refusal
                }
            }
            #expect(try await becomes { await commit.pending + answered.withLock { $0 } >= 200 })
            let clock = ContinuousClock()
            let start = clock.now
            await commit.close()
            // A hundred commits of half a second each otherwise.
            #expect(start.duration(to: clock.now) < .seconds(15))
            for task in tasks { #expect(await task.value == .locked) }
            try await letGo()
            #expect(try await numbers(database).isEmpty)
        }
    }

    private static func insert(_ number: Int) -> GroupCommit.Write {
        { database in
            try database.execute(sql: "INSERT INTO numbers VALUES (?)", arguments: [number])
            return RecordResult(isNew: true)
        }
    }

    private func numbers(_ database: any DatabaseWriter) async throws -> [Int] {
        try await database.read { try Int.fetchAll($0, sql: "SELECT number FROM numbers ORDER BY number") }
    }

    @Test("two hundred writers at once are all answered, and all of it is there", arguments: StoreKind.allCases)
    func concurrency(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let transactions = try (1...200).map { try Proven.transaction(Proven.period("\($0)")) }
            let new = try await withThrowingTaskGroup { group in
                for transaction in transactions {
                    group.addTask { try await store.record(transaction, account: "ann").isNew }
                }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(new == 200)
            #expect(Set(try await store.known(["1"]).transactions) == Set(transactions))
            #expect(try await store.statistics().pendingWrites == 0)
        }
    }

    @Test("of two hundred that record the same one is told that it is new")
    func sameAtOnce() async throws {
        try await withStore(.file) { store async throws in
            let notification = try Proven.notification(1, Proven.period("2"))
            let new = try await withThrowingTaskGroup { group in
                for _ in 0..<200 { group.addTask { try await store.record(notification).isNew } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(new == 1)
        }
    }

    @Test("a write that fails takes nothing of the others with it, and leaves nothing of itself")
    func oneFails() async throws {
        try await withTable { commit, database async throws in
            let outcomes = await withTaskGroup { group in
                for number in 0..<40 {
                    group.addTask { () async -> Bool in
                        let write: GroupCommit.Write = { database in
                            let recorded = try Self.insert(number)(database)
                            if number % 4 == 0 { throw Fault() }
                            return recorded
                        }
                        return await refusal { try await commit(write) } == nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 30)
            #expect(try await numbers(database) == (0..<40).filter { $0 % 4 != 0 })
        }
    }

    @Test("a write that ends the transaction of all does not undo what others were told")
    func transactionEnds() async throws {
        try await withTable { commit, database async throws in
            let outcomes = await withTaskGroup { group in
                for number in 0..<20 {
                    group.addTask { () async -> Int? in
                        let write: GroupCommit.Write = { database in
                            // As SQLite does by itself where the disk is full.
                            if number == 11 {
                                try database.execute(sql: "INSERT OR ROLLBACK INTO numbers VALUES (-1), (-1)")
                            }
                            return try Self.insert(number)(database)
                        }
                        return await refusal { try await commit(write) } == nil ? number : nil
                    }
                }
                return await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
            }
            #expect(outcomes == Set(0..<20).subtracting([11]))
            #expect(try await numbers(database) == outcomes.sorted())
        }
    }

    @Test("beyond the writes that may wait the next is refused at once, and those that wait are made")
    func busy() async throws {
        var limits = StoreLimits()
        limits.pendingWrites = 3
        try await withTable(limits) { commit, database async throws in
            let gate = DispatchSemaphore(value: 0)
            let blocked = Task {
                try await commit { database in
                    gate.wait()
                    return try Self.insert(0)(database)
                }
            }
            #expect(try await becomes { await commit.pending == 1 })
            let waiting = (1...2).map { number in Task { try await commit(Self.insert(number)) } }
            #expect(try await becomes { await commit.pending == 3 })
            #expect(await refusal { try await commit(Self.insert(3)) } == .busy)
            gate.signal()
            for task in waiting + [blocked] { #expect(try await task.value.isNew) }
            #expect(try await commit(Self.insert(4)).isNew)
            #expect(try await numbers(database) == [0, 1, 2, 4])
        }
    }

    @Test("closing waits for what was taken, and takes no more")
    func close() async throws {
        try await withTable { commit, database async throws in
            let tasks = (0..<10).map { number in Task { try await commit(Self.insert(number)) } }
            #expect(try await becomes { await commit.pending + (try await numbers(database).count) >= 10 })
            await commit.close()
            #expect(try await numbers(database).count == 10)
            #expect(await refusal { try await commit(Self.insert(11)) } == .closed)
            for task in tasks { #expect(try await task.value.isNew) }
        }
    }

    @Test("a writer that was canceled still learns what came of its write")
    func canceled() async throws {
        try await withTable { commit, database async throws in
            let task = Task { try await commit(Self.insert(1)) }
            task.cancel()
            #expect(try await task.value.isNew)
            #expect(try await numbers(database) == [1])
        }
    }
}
#endif
