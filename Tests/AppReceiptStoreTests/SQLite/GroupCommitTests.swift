#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import StoreTestSupport
import TestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptStore

@Suite("GroupCommit")
struct GroupCommitTests {
    private struct Fault: Error {}

    private func withTable(
        _ limits: StoreLimits = .default,
        _ body: (GroupCommit<SQLiteCommit.Write>, any DatabaseWriter) async throws -> Void
    ) async throws {
        let database = try SQLiteDatabase.writer(at: nil)
        try await database.write { try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY)") }
        try await body(Self.commit(to: database, limits: limits), database)
    }

    private static func commit(
        to database: any DatabaseWriter, limits: StoreLimits
    ) -> GroupCommit<SQLiteCommit.Write> {
        let commit = SQLiteCommit(database: database, file: nil)
        return GroupCommit(limits: limits) { await commit($0) }
    }

    /// Waits until the commit has this many writes that are waiting or in progress.
    private func untilPending(_ count: Int, in commit: GroupCommit<SQLiteCommit.Write>) async {
        await waitUntil { await commit.pending == count }
    }

    /// A database that another connection locks, and a gate before each write transaction.
    private final class LockedDatabase: Sendable {
        private let gate = DispatchSemaphore(value: 0)
        private let blocked = LockedValueBox(0)

        /// How many transactions found the database locked.
        var blockedTransactions: Int { blocked.withLock { $0 } }

        /// Lets transactions fail.
        func open(transactions: Int) { for _ in 0..<transactions { gate.signal() } }

        /// Waits at the gate, and then fails the transaction.
        var busyMode: Database.BusyMode {
            .callback { [gate, blocked] _ in
                blocked.withLock { $0 += 1 }
                gate.wait()
                return false
            }
        }
    }

    private func withLockedDatabase(
        _ limits: StoreLimits = .default,
        _ body: (GroupCommit<SQLiteCommit.Write>, any DatabaseWriter, LockedDatabase, _ unlock: () async throws -> Void)
            async throws ->
            Void
    ) async throws {
        try await withDatabasePath { path async throws in
            let locked = LockedDatabase()
            let database = try SQLiteDatabase.writer(at: path, busyMode: locked.busyMode)
            try await database.write { try $0.execute(sql: "CREATE TABLE numbers (number INTEGER PRIMARY KEY)") }
            var configuration = Configuration()
            configuration.allowsUnsafeTransactions = true
            let other = try DatabaseQueue(path: path, configuration: configuration)
            try await other.writeWithoutTransaction { try $0.execute(sql: "BEGIN IMMEDIATE") }
            try await body(Self.commit(to: database, limits: limits), database, locked) {
                try await other.writeWithoutTransaction { try $0.execute(sql: "COMMIT") }
            }
            try other.close()
            try database.close()
        }
    }

    @Test("All writes of a commit wait once for a locked database")
    func locked() async throws {
        try await withLockedDatabase { commit, database, locked, unlock async throws in
            let first = Task { await rejection { try await commit.perform(Self.insert(0)) } }
            await waitUntil { locked.blockedTransactions > 0 }
            let others = (1..<256).map { number in
                Task { await rejection { try await commit.perform(Self.insert(number)) } }
            }
            await untilPending(256, in: commit)
            locked.open(transactions: 256)
            for task in [first] + others { #expect(await task.value == .locked) }
            #expect(locked.blockedTransactions == 2)
            #expect(await commit.pending == 0)
            try await unlock()
            #expect(try await commit.perform(Self.insert(1)).isNew)
            #expect(try await numbers(database) == [1])
        }
    }

    @Test("Closing tries the waiting writes once, in one commit")
    func closeLocked() async throws {
        var limits = StoreLimits()
        limits.maxWritesPerCommit = 2
        limits.maxPendingWrites = 200
        try await withLockedDatabase(limits) { commit, database, locked, unlock async throws in
            let first = Task { await rejection { try await commit.perform(Self.insert(0)) } }
            await waitUntil { locked.blockedTransactions > 0 }
            let others = (1..<200).map { number in
                Task { await rejection { try await commit.perform(Self.insert(number)) } }
            }
            await untilPending(200, in: commit)
            let closing = Task { await commit.close() }
            await waitUntil { await rejection { try await commit.perform(Self.insert(200)) } != .busy }
            locked.open(transactions: 200)
            await closing.value
            for task in [first] + others { #expect(await task.value == .locked) }
            #expect(locked.blockedTransactions == 2)
            try await unlock()
            #expect(try await numbers(database).isEmpty)
        }
    }

    private static func insert(_ number: Int) -> SQLiteCommit.Write {
        { database in
            try database.execute(sql: "INSERT INTO numbers VALUES (?)", arguments: [number])
            return RecordResult(isNew: true)
        }
    }

    private func numbers(_ database: any DatabaseWriter) async throws -> [Int] {
        try await database.read { try Int.fetchAll($0, sql: "SELECT number FROM numbers ORDER BY number") }
    }

    @Test("A failed write has no effect, and doesn't affect other writes")
    func oneFails() async throws {
        try await withTable { commit, database async throws in
            let outcomes = await withTaskGroup { group in
                for number in 0..<40 {
                    group.addTask { () async -> Bool in
                        let write: SQLiteCommit.Write = { database in
                            let recorded = try Self.insert(number)(database)
                            if number % 4 == 0 { throw Fault() }
                            return recorded
                        }
                        return await rejection { try await commit.perform(write) } == nil
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(outcomes == 30)
            #expect(try await numbers(database) == (0..<40).filter { $0 % 4 != 0 })
        }
    }

    @Test("A write that rolls back the shared transaction doesn't undo the others")
    func transactionEnds() async throws {
        try await withTable { commit, database async throws in
            let outcomes = await withTaskGroup { group in
                for number in 0..<20 {
                    group.addTask { () async -> Int? in
                        let write: SQLiteCommit.Write = { database in
                            // SQLite rolls back like this if the disk is full.
                            if number == 11 {
                                try database.execute(sql: "INSERT OR ROLLBACK INTO numbers VALUES (-1), (-1)")
                            }
                            return try Self.insert(number)(database)
                        }
                        return await rejection { try await commit.perform(write) } == nil ? number : nil
                    }
                }
                return await group.reduce(into: Set<Int>()) { if let number = $1 { $0.insert(number) } }
            }
            #expect(outcomes == Set(0..<20).subtracting([11]))
            #expect(try await numbers(database) == outcomes.sorted())
        }
    }

    @Test("A write beyond the limit is rejected immediately, and the waiting ones succeed")
    func busy() async throws {
        var limits = StoreLimits()
        limits.maxPendingWrites = 3
        try await withTable(limits) { commit, database async throws in
            let gate = DispatchSemaphore(value: 0)
            let blocked = Task {
                try await commit.perform { database in
                    gate.wait()
                    return try Self.insert(0)(database)
                }
            }
            await untilPending(1, in: commit)
            let waiting = (1...2).map { number in Task { try await commit.perform(Self.insert(number)) } }
            await untilPending(3, in: commit)
            #expect(await rejection { try await commit.perform(Self.insert(3)) } == .busy)
            gate.signal()
            for task in waiting + [blocked] { #expect(try await task.value.isNew) }
            #expect(try await commit.perform(Self.insert(4)).isNew)
            #expect(try await numbers(database) == [0, 1, 2, 4])
        }
    }

    @Test("Closing waits for accepted writes, and rejects further ones")
    func close() async throws {
        try await withTable { commit, database async throws in
            let tasks = (0..<10).map { number in Task { try await commit.perform(Self.insert(number)) } }
            try await waitUntil { await commit.pending + (try await numbers(database).count) >= 10 }
            await commit.close()
            #expect(try await numbers(database).count == 10)
            #expect(await rejection { try await commit.perform(Self.insert(11)) } == .closed)
            for task in tasks { #expect(try await task.value.isNew) }
        }
    }

    @Test("A canceled task gets the result of its write")
    func canceled() async throws {
        try await withTable { commit, database async throws in
            let task = Task { try await commit.perform(Self.insert(1)) }
            task.cancel()
            #expect(try await task.value.isNew)
            #expect(try await numbers(database) == [1])
        }
    }
}
#endif
