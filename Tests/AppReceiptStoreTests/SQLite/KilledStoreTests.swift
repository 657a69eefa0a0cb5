// Exit tests aren't available on other platforms.
#if Server && (os(Linux) || os(macOS))
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import Foundation
import GRDB
import StoreTestSupport
import TestSupport
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite("A store whose process is killed")
struct KilledStoreTests {
    /// Records transactions and writes each identifier to standard output once it is acknowledged. Kills the process
    /// after the given number of acknowledged writes, and after a thread has yielded some times, while other writes are
    /// in progress.
    private static func recordUntilKilled(
        _ path: String, round: Int, after writes: Int, yields: Int
    ) async throws {
        let store = try SQLiteStore(testing: path)
        let acknowledged = LockedValueBox(0)
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<100_000 {
                        let identifier = "\(round)\(writer)\(100_000 + number)"
                        try await store.record(
                            StoreFixtures.transaction(StoreFixtures.period(identifier)), account: "ann")
                        // Unbuffered, so that the output survives the kill.
                        let line = Array("\(identifier)\n".utf8)
                        guard unsafe write(STDOUT_FILENO, line, line.count) == line.count else { return }
                        let count = acknowledged.withLock {
                            $0 += 1
                            return $0
                        }
                        guard count == writes else { continue }
                        // A separate thread, so that the writers continue.
                        Thread {
                            for _ in 0..<yields { sched_yield() }
                            kill(getpid(), SIGKILL)
                        }.start()
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("Every acknowledged write is stored, and the database is intact")
    func killed() async throws {
        try await withDatabasePath { path async throws in
            var generator = SeededGenerator(seed: 9)
            var acknowledged: Set<String> = []
            for round in 1...6 {
                let writes = Int.random(in: 5...80, using: &generator)
                let yields = Int.random(in: 0...2000, using: &generator)
                let result = await #expect(
                    processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
                ) {
                    [
                        path = path as String, round = round as Int, writes = writes as Int,
                        yields = yields as Int
                    ] in
                    try await KilledStoreTests.recordUntilKilled(
                        path, round: round, after: writes, yields: yields)
                }
                let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
                let reported = output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("\(round)") }
                #expect(reported.count >= writes)
                acknowledged.formUnion(reported)

                var limits = StoreLimits()
                limits.maxTransactionsPerOriginal = 1_000_000
                let store = try SQLiteStore(testing: path, limits: limits)
                let known = Set(try await store.known(["1"]).identifiers.compactMap(\.self))
                #expect(known.isSuperset(of: acknowledged))
                #expect(try await store.statistics().skippedRows == 0)
                try await store.close()
                let queue = try DatabaseQueue(path: path)
                #expect(try await queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
                try queue.close()
            }
        }
    }
}
#endif
