#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@Suite("Recording of receipts")
struct ReceiptRecordTests {
    private static let canceled = instant("2024-06-20T00:00:00Z")

    /// A receipt that was created on this day of August and lists these transactions of original 1.
    private static func receipt(
        _ day: Int, _ transactions: [String], canceled: Set<String> = [], others: [String] = []
    ) throws -> VerifiedReceipt {
        try StoreFixtures.receipt(others, made: "2024-08-\(day)T00:00:00Z") { receipt in
            receipt.purchases += transactions.map { identifier in
                TestPurchase("com.example.pro", transaction: identifier, at: instant("2024-06-01T00:00:00Z")).with {
                    $0.originalTransactionIdentifier = "1"
                    $0.cancellationDate = canceled.contains(identifier) ? Self.canceled : nil
                }
            }
        }
    }

    /// Returns the stored receipts of original 1, newest first.
    private static func known(_ store: any EvidenceStore) async throws -> [VerifiedReceipt] {
        try await store.known(["1"]).receipts.sorted { $0.creationDate > $1.creationDate }
    }

    @Test("The newest receipt of each original is kept, in any order of arrival", arguments: StoreEngine.allCases)
    func newest(_ engine: StoreEngine) async throws {
        let old = try StoreFixtures.receipt(["1", "2"])
        let new = try StoreFixtures.receipt(["1", "3"], made: "2024-09-01T00:00:00Z")
        for order in [[old, new], [new, old]] {
            try await engine.withStore { store async throws in
                for receipt in order { #expect(try await store.record(receipt).isNew) }
                #expect(try await store.known(["1"]).receipts == [new])
                #expect(try await store.known(["2"]).receipts == [old])
                #expect(Set(try await store.known(["1", "2", "3"]).receipts) == [new, old])
                let statistics = try await store.statistics()
                #expect(statistics.receipts == 2)
                #expect(statistics.originalTransactions == 3)
            }
        }
    }

    @Test("A receipt that no original needs is deleted, and an older one isn't stored", arguments: StoreEngine.allCases)
    func superseded(_ engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipts = try (1...3).map { try StoreFixtures.receipt(["1", "2"], made: "2024-07-0\($0)T00:00:00Z") }
            #expect(try await store.record(receipts[1]).isNew)
            #expect(try await !store.record(receipts[0]).isNew)
            #expect(try await store.record(receipts[2]).isNew)
            #expect(try await store.known(["1", "2"]).receipts == [receipts[2]])
            #expect(try await store.statistics().receipts == 1)
        }
    }

    @Test(
        "Of receipts with the same date, the same one is kept in any order of arrival", arguments: StoreEngine.allCases)
    func sameDate(_ engine: StoreEngine) async throws {
        let receipts = [try StoreFixtures.receipt(["1"]), try StoreFixtures.receipt(["1"]) { $0.appVersion = "2" }]
        var kept: Set<[VerifiedReceipt]> = []
        for order in [receipts, receipts.reversed()] {
            try await engine.withStore { store async throws in
                #expect(try await store.record(order[0]).isNew)
                try await store.record(order[1])
                kept.insert(try await store.known(["1"]).receipts)
                #expect(try await store.statistics().receipts == 1)
            }
        }
        #expect(kept.count == 1)
        #expect(kept.first?.count == 1)
    }

    @Test("A receipt is kept while it is the newest to list a canceled transaction", arguments: StoreEngine.allCases)
    func canceled(_ engine: StoreEngine) async throws {
        let canceled = try Self.receipt(10, ["1", "2"], canceled: ["1"])
        let newer = try Self.receipt(12, ["2"])
        let listing = try Self.receipt(14, ["1", "2", "3"])
        for order in [[canceled, newer], [newer, canceled]] {
            try await engine.withStore { store async throws in
                for receipt in order { #expect(try await store.record(receipt).isNew) }
                #expect(try await Self.known(store) == [newer, canceled])
                for receipt in order { #expect(try await !store.record(receipt, account: "ann").isNew) }
                #expect(try await store.record(listing).isNew)
                #expect(try await Self.known(store) == [listing])
                #expect(try await !store.record(canceled, account: "ben").isNew)
                #expect(try await Self.known(store) == [listing])
                let statistics = try await store.statistics()
                #expect(statistics.receipts == 1)
                #expect(statistics.originalTransactions == 1)
            }
        }
    }

    @Test(
        "The store keeps the receipts that ReceiptRetention selects, in any order of arrival",
        arguments: StoreEngine.allCases)
    func needed(_ engine: StoreEngine) async throws {
        let receipts = try [
            Self.receipt(10, ["1", "2"], canceled: ["1"]), Self.receipt(11, ["2", "3"], canceled: ["2"]),
            Self.receipt(12, ["3"]), Self.receipt(14, ["4"], others: ["9"]),
            Self.receipt(14, ["4"], canceled: ["4"]), Self.receipt(15, ["5"]),
        ]
        let expected = ReceiptRetention.receiptsToKeep(
            from: receipts.map { ReceiptRetention.ListedReceipt($0) }, for: "1"
        ).map(
            \.receipt)
        #expect(expected.map(\.creationDate) == [15, 14, 11, 10].map { instant("2024-08-\($0)T00:00:00Z") })
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<8 {
            let order = receipts.shuffled(using: &generator)
            try await engine.withStore { store async throws in
                for receipt in order { try await store.record(receipt) }
                #expect(try await Self.known(store) == expected)
                #expect(try await store.known(["9"]).receipts.count == 1)
            }
        }
    }

    @Test("A cancellation isn't lost if other receipts arrive in between", arguments: StoreEngine.allCases)
    func neverLost(_ engine: StoreEngine) async throws {
        let canceled = try Self.receipt(12, ["3"], canceled: ["3"])
        let receipts = try [
            canceled, Self.receipt(10, ["3"]), Self.receipt(11, ["3", "4"], canceled: ["4"]), Self.receipt(13, ["5"]),
            Self.receipt(14, ["6"], canceled: ["6"]), Self.receipt(15, ["7"]),
        ]
        var generator = SeededGenerator(seed: 8)
        for _ in 0..<8 {
            let order = receipts.shuffled(using: &generator)
            try await engine.withStore { store async throws in
                for receipt in order { try await store.record(receipt) }
                let known = try await Self.known(store)
                #expect(known.contains(canceled))
                #expect(known.map(\.creationDate) == [15, 14, 12, 11].map { instant("2024-08-\($0)T00:00:00Z") })
            }
        }
    }

    @Test("Receipts without purchases, or larger than the limit, aren't stored", arguments: StoreEngine.allCases)
    func notStored(_ engine: StoreEngine) async throws {
        var limits = StoreLimits()
        let large = try StoreFixtures.receipt((1...40).map(String.init))
        limits.maxReceiptBytes = large.strippedContainer().count - 1
        try await engine.withStore(limits: limits) { store async throws in
            #expect(try await store.record(StoreFixtures.receipt([])) == .notStored)
            #expect(try await !store.record(large, account: "somebody").isNew)
            #expect(try await store.record(StoreFixtures.receipt(["1"])).isNew)
            #expect(try await store.statistics().receipts == 1)
            // Its purchases are bound to the account nevertheless.
            #expect(try await store.record(StoreFixtures.receipt(["40"]), account: "else").replays.count == 1)
        }
    }

    @Test(
        "A receipt padded with unsigned bytes is stored without them, and equals the unpadded receipt",
        arguments: StoreEngine.persistent)
    func padded(_ engine: StoreEngine) async throws {
        let made = TestReceipt().with {
            $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: instant("2024-06-01T00:00:00Z"))]
        }
        let plain = try StoreFixtures.receipt(container: made.signed())
        let padded = try StoreFixtures.receipt(container: StoreFixtures.padded(made))
        #expect(padded.container.count > 900_000)
        for order in [[plain, padded], [padded, plain]] {
            try await engine.withDatabase { database async throws in
                let store = try database.open()
                #expect(try await store.record(order[0], account: "ann").isNew)
                #expect(try await !store.record(order[1], account: "ann").isNew)
                #expect(try await store.evidence(beside: order[0]).evidence.receipts.isEmpty)
                #expect(
                    try await store.known(["1"]).receipts.map { Array($0.container) } == [plain.strippedContainer()])
                try await store.close()
                // Without what the process remembers.
                let reopened = try database.open()
                #expect(try await !reopened.record(order[1], account: "ann").isNew)
                #expect(try await reopened.evidence(beside: order[1]).evidence.receipts.isEmpty)
                #expect(try await reopened.statistics().receipts == 1)
                try await reopened.close()
            }
        }
    }
}
#endif
