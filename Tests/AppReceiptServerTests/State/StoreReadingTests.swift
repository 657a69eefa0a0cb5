#if Server
import AppReceiptServer
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import TestSupport
import Testing
import VerifyReceipt

@Suite("Questions to the store")
struct StoreReadingTests {
    @Test("no more is read than the limits say, the newest first")
    func limits() async throws {
        var limits = StoreLimits()
        limits.transactionsPerQuestion = 3
        limits.renewalsPerQuestion = 2
        limits.receiptsPerQuestion = 1
        try await withStore(limits: limits) { store async throws in
            for number in 1...5 {
                let line = "\(number)"
                let date = "2024-07-0\(number)T00:00:00Z"
                try await store.record(Proven.transaction(Proven.period(line, of: line, signed: date)))
                try await store.record(Proven.renewal(line, signed: date), app: "com.example.app")
                try await store.record(Proven.receipt([line], made: date))
            }
            let known = try await store.known(["1", "2", "3", "4", "5"])
            #expect(known.identifiers == ["5", "4", "3"])
            #expect(known.renewals.map(\.claims.originalTransactionIdentifier) == ["5", "4"])
            #expect(known.receipts.map(\.receipt.creationDate) == [instant("2024-07-05T00:00:00Z")])
            #expect(try await store.known(["1", "2"]).identifiers == ["2", "1"])
        }
    }

    @Test("of any number of lines each receipt comes once")
    func manyLines() async throws {
        try await withStore { store async throws in
            let lines = (1...1300).map { "\(10_000 + $0)" }
            let receipt = try Proven.receipt(lines)
            try await store.record(receipt)
            for line in ["10001", "10700", "11300"] {
                try await store.record(Proven.transaction(Proven.period(line, of: line)))
                try await store.record(Proven.renewal(line), app: "com.example.app")
            }
            let known = try await store.known(Set(lines))
            #expect(known.receipts == [receipt])
            #expect(known.transactions.count == 3 && known.renewals.count == 3)
            #expect(try await store.statistics().lines == 1300)
        }
    }

    @Test("what holds a zero, after which SQLite would stop to read, is not stored")
    func zero() async throws {
        try await withStore { store async throws in
            #expect(try await !store.record(Proven.transaction(Proven.period("2", of: "1\0"))).isNew)
            #expect(try await !store.record(Proven.transaction(Proven.period("2\0"))).isNew)
            #expect(try await !store.record(Proven.renewal("1\0"), app: "com.example.app").isNew)
            #expect(try await !store.record(Proven.renewal(), app: "com.example.app\0").isNew)
            #expect(try await !store.record(Proven.receipt(["1\0"]), account: "ann").isNew)
            #expect(try await store.record(Proven.receipt(["1"]), account: "ben").replays.isEmpty)
        }
    }

    @Test("a line that is no number is only one that is not there")
    func strangeLines() async throws {
        try await withStore { store async throws in
            try await store.record(Proven.transaction(Proven.period("2")))
            for line in ["", "1' OR '1' = '1", "1\0", "%", "?"] {
                #expect(try await store.known([line]).transactions.isEmpty)
            }
            #expect(try await store.known([]).transactions.isEmpty)
        }
    }
}
#endif
