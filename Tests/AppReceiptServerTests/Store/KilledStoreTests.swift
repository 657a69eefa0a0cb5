// Other systems run no processes of their own in tests.
#if Server && (os(Linux) || os(macOS))
import AppReceiptServer
import AppReceiptKit
import AppReceiptTesting
import Foundation
import GRDB
import TestSupport
import Testing
import VerifyReceipt
import AppReceiptSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite("A store whose process is killed")
struct KilledStoreTests {
    /// Records for ever, writing each number after it was acknowledged, until the process is killed: some microseconds after
    /// so many were acknowledged, while others are being made.
    private static func recordUntilKilled(
        _ path: String, round: Int, after writes: Int, microseconds: UInt32
    ) async throws {
        let store = try TransactionStore(testing: path)
        let acknowledged = LockedValueBox(0)
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<100_000 {
                        let identifier = "\(round)\(writer)\(100_000 + number)"
                        try await store.record(Proven.transaction(Proven.period(identifier)), account: "ann")
                        // At once, whole, and past every buffer of this process.
                        let line = Array("\(identifier)\n".utf8)
                        guard unsafe write(STDOUT_FILENO, line, line.count) == line.count else { return }
                        let count = acknowledged.withLock {
                            $0 += 1
                            return $0
                        }
                        guard count == writes else { continue }
                        // A thread of its own, so that the writers go on meanwhile.
                        Thread {
                            usleep(microseconds)
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
                let microseconds = UInt32.random(in: 0...5000, using: &generator)
                let result = await #expect(
                    processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
                ) {
                    [
                        path = path as String, round = round as Int, writes = writes as Int,
                        microseconds = microseconds as UInt32
                    ] in
                    try await KilledStoreTests.recordUntilKilled(
                        path, round: round, after: writes, microseconds: microseconds)
                }
                let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
                let told = output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("\(round)") }
                #expect(told.count >= writes)
                acknowledged.formUnion(told)

                var limits = StoreLimits()
                limits.maxTransactionsPerOriginal = 1_000_000
                let store = try TransactionStore(testing: path, limits: limits)
                let known = Set(try await store.known(["1"]).identifiers.compactMap(\.self))
                #expect(known.isSuperset(of: acknowledged))
                #expect(store.skippedRows == 0)
                try await store.close()
                let queue = try DatabaseQueue(path: path)
                #expect(try await queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
                try queue.close()
            }
        }
    }
}
#endif
