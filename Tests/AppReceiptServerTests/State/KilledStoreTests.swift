// Other systems run no processes of their own in tests.
#if Server && (os(Linux) || os(macOS))
import AppReceiptServer
import AppReceiptTesting
import Foundation
import GRDB
import TestSupport
import Testing
import VerifyReceipt

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

@Suite("A store whose process is killed")
struct KilledStoreTests {
    /// Records for ever, writing each number after it was acknowledged, until the process is killed.
    private static func recordUntilKilled(_ path: String, round: Int, after microseconds: UInt32) async throws {
        let store = try TransactionStore(testing: path)
        let killer = Thread {
            usleep(microseconds)
            kill(getpid(), SIGKILL)
        }
        try await withThrowingTaskGroup { group in
            for writer in 0..<4 {
                group.addTask {
                    for number in 0..<100_000 {
                        let identifier = "\(round)\(writer)\(100_000 + number)"
                        try await store.record(Proven.transaction(Proven.period(identifier)), account: "ann")
                        // At once, whole, and past every buffer of this process.
                        let line = Array("\(identifier)\n".utf8)
                        guard unsafe write(STDOUT_FILENO, line, line.count) == line.count else { return }
                    }
                }
            }
            killer.start()
            try await group.waitForAll()
        }
    }

    @Test("every write that was acknowledged is there, and the database is sound")
    func killed() async throws {
        try await withDatabasePath { path async throws in
            var generator = SeededGenerator(seed: 9)
            var acknowledged: Set<String> = []
            for round in 1...6 {
                let microseconds = UInt32.random(in: 20_000...400_000, using: &generator)
                let result = await #expect(
                    processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
                ) { [path = path as String, round = round as Int, microseconds = microseconds as UInt32] in
                    try await KilledStoreTests.recordUntilKilled(path, round: round, after: microseconds)
                }
                let output = String(decoding: try #require(result).standardOutputContent, as: UTF8.self)
                acknowledged.formUnion(
                    output.split(separator: "\n").map(String.init).filter { $0.hasPrefix("\(round)") })

                var limits = StoreLimits()
                limits.transactionsPerQuestion = 1_000_000
                let store = try TransactionStore(testing: path, limits: limits)
                let known = Set(try await store.known(["1"]).identifiers.compactMap(\.self))
                #expect(known.isSuperset(of: acknowledged))
                #expect(store.passedOver == 0)
                try await store.close()
                let queue = try DatabaseQueue(path: path)
                #expect(try await queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
                try queue.close()
            }
            #expect(acknowledged.count > 20)
        }
    }
}
#endif
