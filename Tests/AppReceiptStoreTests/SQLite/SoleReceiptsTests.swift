#if Server
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@testable import AppReceiptStore

@Suite("Sole receipts")
struct SoleReceiptsTests {
    /// Returns what is stored beside a receipt: identifiers of transactions, and the kinds of everything else.
    private static func beside(_ receipt: VerifiedReceipt, in store: SQLiteStore) throws -> [String] {
        try store.isSole(receipt) ? [] : names(of: try store.evidence(beside: receipt).evidence)
    }

    private static func names(of history: CustomerEvidence) -> [String] {
        history.transactions.compactMap(\.claims.transactionIdentifier).sorted()
            + history.renewals.map { _ in "renewal" } + history.receipts.map { _ in "receipt" }
    }

    private static func refund(of original: String) throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            StoreFixtures.period("7\(original)", of: original, refund: "2024-07-01T00:00:00Z"))
    }

    @Test("What another connection stores is read beside a receipt from then on")
    func otherConnection() async throws {
        try await withDatabasePath { path async throws in
            let stores = try [SQLiteStore(testing: path), SQLiteStore(testing: path)]
            let receipts = try ["1", "2"].map { try StoreFixtures.receipt([$0]) }
            for receipt in receipts {
                try await stores[0].record(receipt)
                #expect(try Self.beside(receipt, in: stores[0]) == [])
            }
            try await stores[1].record(Self.refund(of: "2"))
            #expect(try receipts.map { try Self.beside($0, in: stores[0]) } == [[], ["72"]])
            for store in stores { try await store.close() }
        }
    }

    @Test("A closed store returns nothing", arguments: Location.allCases)
    func closed(_ location: Location) async throws {
        try await withSQLiteStore(in: location) { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            try await store.record(receipt)
            try await store.close()
            #expect(throws: StoreError.closed) { try store.evidence(beside: receipt).evidence }
        }
    }

    @Test("Whatever two connections write, each returns what the database contains", arguments: 0..<4)
    func randomWrites(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        try await withDatabasePath { path async throws in
            let stores = try [SQLiteStore(testing: path), SQLiteStore(testing: path)]
            let groups = (0..<12).map { ["\($0)", "\($0 / 2 + 20)"] }
            let receipts = try groups.map { try StoreFixtures.receipt($0) }
            var hits = 0
            for step in 0..<80 {
                let store = stores[Int.random(in: 0...1, using: &generator)]
                let chosen = Int.random(in: receipts.indices, using: &generator)
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: try await store.record(Self.refund(of: groups[chosen][step % 2]))
                case 1: try await store.record(StoreFixtures.renewal(groups[chosen][0]))
                case 2, 3: try await store.record(receipts[chosen])
                default: break
                }
                for (receipt, store) in receipts.flatMap({ receipt in stores.map { (receipt, $0) } }) {
                    hits += try store.isSole(receipt) ? 1 : 0
                    var expected = try await store.known(receipt.originals)
                    expected.receipts.removeAll { $0.signature == receipt.signature }
                    #expect(try Self.beside(receipt, in: store) == Self.names(of: expected))
                }
            }
            #expect(hits > 0)
            for store in stores { try await store.close() }
        }
    }

    /// Returns whether a receipt is marked as sole, nil if it isn't stored.
    private static func isSole(_ receipt: VerifiedReceipt, in store: SQLiteStore) async throws -> Bool? {
        let digest = ReceiptRow(receipt)?.digest
        return try await store.database.read {
            try Bool.fetchOne(
                $0, sql: "SELECT sole FROM receipts WHERE digest = ?",
                arguments: [digest])
        }
    }

    /// Returns what is stored beside a receipt, in the number of transactions, renewals and receipts.
    private static func counts(beside receipt: VerifiedReceipt, in store: SQLiteStore) throws -> [Int] {
        let history = try store.evidence(beside: receipt).evidence
        return [history.transactions.count, history.renewals.count, history.receipts.count]
    }

    /// Changes the database as a program without foreign keys would.
    private static func edit(_ store: SQLiteStore, _ sql: String) async throws {
        try await store.database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; \(sql); PRAGMA foreign_keys = ON")
        }
    }

    @Test(
        "What is stored about any original transaction of a sole receipt is read beside it from then on",
        arguments: ["transaction", "renewal", "notification", "receipt"], ["1", "3"])
    func besideSoleReceipt(_ kind: String, _ original: String) async throws {
        for storesReceiptFirst in [true, false] {
            try await withSQLiteStore { store async throws in
                let receipt = try StoreFixtures.receipt(["1", "2", "3"])
                if storesReceiptFirst {
                    try await store.record(receipt)
                    #expect(try await Self.isSole(receipt, in: store) == true)
                    #expect(try Self.counts(beside: receipt, in: store) == [0, 0, 0])
                }
                let period = StoreFixtures.period("77", of: original)
                var expected = [1, 0, 0]
                switch kind {
                case "transaction": try await store.record(StoreFixtures.transaction(period))
                case "notification": try await store.record(StoreFixtures.notification(1, period))
                case "renewal":
                    try await store.record(StoreFixtures.renewal(original))
                    expected = [0, 1, 0]
                default:
                    try await store.record(StoreFixtures.receipt([original, "9"], made: "2024-09-01T00:00:00Z"))
                    expected = [0, 0, 1]
                }
                if !storesReceiptFirst { try await store.record(receipt) }
                #expect(try await Self.isSole(receipt, in: store) == false)
                #expect(try Self.counts(beside: receipt, in: store) == expected)
            }
        }
    }

    @Test("A receipt is sole again once nothing else is stored about its original transactions")
    func soleAgain() async throws {
        try await withSQLiteStore { store async throws in
            let old = try StoreFixtures.receipt(["1", "2"])
            let new = try StoreFixtures.receipt(["1", "2"], made: "2024-09-01T00:00:00Z")
            try await store.record(old)
            try await store.record(StoreFixtures.receipt(["5"]))
            try await store.record(new)
            #expect(try await Self.isSole(new, in: store) == true)
            #expect(try await Self.isSole(old, in: store) == nil)
            #expect(try Self.counts(beside: new, in: store) == [0, 0, 0])
            #expect(try Self.counts(beside: old, in: store) == [0, 0, 1])
        }
    }

    @Test("A receipt that an editor marked as sole isn't any more after it is recorded again")
    func healed() async throws {
        try await withDatabasePath { path async throws in
            let receipt = try StoreFixtures.receipt(["1", "2"])
            var store = try SQLiteStore(testing: path)
            try await store.record(receipt)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("77", of: "2")))
            try await Self.edit(store, "UPDATE receipts SET sole = 1")
            #expect(try store.isSole(receipt))
            try await store.close()
            store = try SQLiteStore(testing: path)
            try await store.record(receipt)
            #expect(try !store.isSole(receipt))
            #expect(try Self.counts(beside: receipt, in: store) == [1, 0, 0])
            try await store.close()
        }
    }

    @Test("A receipt of which an original transaction needs a newer one isn't sole")
    func partlyNeeded() async throws {
        try await withSQLiteStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z"))
            let old = try StoreFixtures.receipt(["1", "2"])
            try await store.record(old)
            #expect(try await Self.isSole(old, in: store) == false)
            #expect(try Self.counts(beside: old, in: store) == [0, 0, 1])
        }
    }

    @Test("A receipt isn't sole because of a row whose receipt an editor deleted")
    func orphan() async throws {
        try await withSQLiteStore { store async throws in
            try await store.record(StoreFixtures.receipt(["2"], made: "2024-09-01T00:00:00Z"))
            try await store.record(StoreFixtures.receipt(["7"]))
            try await Self.edit(store, "DELETE FROM receipts WHERE number = 2")
            let older = try StoreFixtures.receipt(["1", "2"])
            try await store.record(older)
            #expect(try await Self.isSole(older, in: store) == false)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("77", of: "2")))
            #expect(try Self.counts(beside: older, in: store) == [1, 0, 1])
        }
    }

    @Test("A receipt with a known status isn't sole, also if an editor deleted everything else that is known")
    func status() async throws {
        try await withSQLiteStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            try await store.record(
                StoreFixtures.notification(1, StoreFixtures.period("77", of: "1")) { $0.status = .expired })
            try await Self.edit(store, "DELETE FROM transactions")
            try await store.record(receipt)
            #expect(try await Self.isSole(receipt, in: store) == false)
            #expect(try store.evidence(beside: receipt).evidence.notifications.count == 1)
        }
    }
}
#endif
