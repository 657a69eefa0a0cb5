#if Server
import AppReceiptKit
import AppReceiptSupport
import AppStoreSignedData
import Foundation
import GRDB
import TestSupport
import Testing
import VerifyReceipt

@testable import AppReceiptServer

@Suite("SoleReceipts")
struct SoleReceiptsTests {
    /// Records receipts, each of an original transaction, and reads what is stored beside each.
    private static func known(_ originals: [String], in store: TransactionStore) async throws -> [VerifiedReceipt] {
        let receipts = try originals.map { try StoreFixtures.receipt([$0]) }
        for receipt in receipts {
            try await store.record(receipt)
            #expect(try Self.beside(receipt, in: store) == [])
        }
        return receipts
    }

    private static func contains(_ receipts: [VerifiedReceipt], in store: TransactionStore) -> [Bool] {
        receipts.map { store.soleReceipts.contains(EvidenceIdentity($0)) }
    }

    /// Returns what is stored beside a receipt: identifiers of transactions, and the kinds of everything else.
    private static func beside(_ receipt: VerifiedReceipt, in store: TransactionStore) throws -> [String] {
        names(of: try store.history(beside: receipt))
    }

    private static func names(of history: CustomerEvidence) -> [String] {
        history.transactions.compactMap(\.claims.transactionIdentifier).sorted()
            + history.renewals.map { _ in "renewal" } + history.receipts.map { _ in "receipt" }
    }

    private static func refund(of original: String) throws -> VerifiedTransaction {
        try StoreFixtures.transaction(
            StoreFixtures.period("7\(original)", of: original, refund: "2024-07-01T00:00:00Z"))
    }

    @Test("A commit removes the receipts that it removes from the table, and no others", arguments: StoreKind.allCases)
    func commit(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipts = try await Self.known(["1", "2", "3"], in: store)
            #expect(Self.contains(receipts, in: store) == [true, true, true])
            try await store.record(Self.refund(of: "2"))
            #expect(Self.contains(receipts, in: store) == [true, false, true])
            #expect(try Self.beside(receipts[1], in: store) == ["72"])
            try await store.record(Self.refund(of: "4"))
            #expect(Self.contains(receipts, in: store) == [true, false, true])
        }
    }

    @Test(
        "Nothing is known to be stored beside a receipt once its history was read, until something else is stored",
        arguments: StoreKind.allCases)
    func nothing(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            #expect(!store.containsNothing(beside: receipt))
            try await store.record(receipt)
            #expect(!store.containsNothing(beside: receipt))
            #expect(try Self.beside(receipt, in: store) == [])
            #expect(store.containsNothing(beside: receipt))
            try await store.record(Self.refund(of: "1"))
            #expect(!store.containsNothing(beside: receipt))
            #expect(store.containsNothing(beside: try StoreFixtures.receipt([])))
        }
    }

    @Test("A commit of another connection removes all receipts, and they are found again")
    func otherConnection() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            let other = try TransactionStore(testing: path)
            let receipts = try await Self.known(["1", "2"], in: store)
            #expect(Self.contains(receipts, in: store) == [true, true])
            try await other.record(Self.refund(of: "2"))
            #expect(Self.contains(receipts, in: store) == [false, false])
            #expect(try Self.beside(receipts[0], in: store) == [])
            #expect(try Self.beside(receipts[1], in: store) == ["72"])
            #expect(Self.contains(receipts, in: store) == [true, false])
            // Its own commit doesn't hide that of the other connection.
            try await other.record(Self.refund(of: "1"))
            try await store.record(Self.refund(of: "5"))
            #expect(Self.contains(receipts, in: store) == [false, false])
            #expect(try Self.beside(receipts[0], in: store) == ["71"])
            try await other.close()
            try await store.close()
        }
    }

    @Test("A receipt isn't added after a commit since its reading began", arguments: StoreKind.allCases)
    func outdatedReading(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipts = try await Self.known(["1"], in: store)
            let identity = EvidenceIdentity(receipts[0])
            let version = store.soleReceipts.version
            try await store.record(Self.refund(of: "1"))
            store.soleReceipts.insert(identity, row: 1, readAt: version)
            #expect(!store.soleReceipts.contains(identity))
        }
    }

    @Test("A receipt isn't added after a commit of another connection since its reading began")
    func outdatedByOther() async throws {
        try await withDatabasePath { path async throws in
            let store = try TransactionStore(testing: path)
            let other = try TransactionStore(testing: path)
            let receipts = try await Self.known(["1"], in: store)
            let version = store.soleReceipts.version
            try await other.record(Self.refund(of: "1"))
            store.soleReceipts.insert(EvidenceIdentity(receipts[0]), row: 1, readAt: version)
            #expect(Self.contains(receipts, in: store) == [false])
            #expect(store.soleReceipts.version != version)
            store.soleReceipts.insert(EvidenceIdentity(receipts[0]), row: 1, readAt: version)
            #expect(Self.contains(receipts, in: store) == [false])
            try await other.close()
            try await store.close()
        }
    }

    @Test("A transaction that is rolled back removes nothing", arguments: StoreKind.allCases)
    func rollback(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipts = try await Self.known(["1", "2"], in: store)
            await #expect(throws: CancellationError.self) {
                try await store.database.write { database in
                    try database.execute(sql: "DELETE FROM sole_receipts")
                    throw CancellationError()
                }
            }
            try await store.record(Self.refund(of: "2"))
            #expect(Self.contains(receipts, in: store) == [true, false])
        }
    }

    @Test("The number of a deleted receipt stands for the next one only", arguments: StoreKind.allCases)
    func reusedNumber(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let first = try await Self.known(["1"], in: store)
            try await store.database.write { try $0.execute(sql: "DELETE FROM receipts") }
            #expect(Self.contains(first, in: store) == [false])
            let next = try await Self.known(["2"], in: store)
            #expect(Self.contains(first + next, in: store) == [false, true])
        }
    }

    @Test("At most as many receipts as the limit are kept")
    func capacity() async throws {
        var limits = StoreLimits()
        limits.maxRememberedWrites = 2
        try await withStore(limits: limits) { store async throws in
            let receipts = try await Self.known(["1", "2", "3"], in: store)
            #expect(Self.contains(receipts, in: store) == [false, false, true])
        }
    }

    @Test("A closed store is never asked", arguments: StoreKind.allCases)
    func closed(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipts = try await Self.known(["1"], in: store)
            try await store.close()
            #expect(Self.contains(receipts, in: store) == [false])
            #expect(throws: StoreError.closed) { try store.history(beside: receipts[0]) }
        }
    }

    @Test("Whatever two connections write, each returns what the database contains", arguments: 0..<4)
    func randomWrites(_ seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        try await withDatabasePath { path async throws in
            let stores = try [TransactionStore(testing: path), TransactionStore(testing: path)]
            let groups = (0..<12).map { ["\($0)", "\($0 / 2 + 20)"] }
            let receipts = try groups.map { try StoreFixtures.receipt($0) }
            var hits = 0
            for step in 0..<80 {
                let store = stores[Int.random(in: 0...1, using: &generator)]
                let chosen = Int.random(in: receipts.indices, using: &generator)
                switch Int.random(in: 0..<8, using: &generator) {
                case 0: try await store.record(Self.refund(of: groups[chosen][step % 2]))
                case 1: try await store.record(StoreFixtures.renewal(groups[chosen][0]), app: "com.example.app")
                case 2, 3: try await store.record(receipts[chosen])
                default: break
                }
                for (receipt, store) in receipts.flatMap({ receipt in stores.map { (receipt, $0) } }) {
                    hits += store.soleReceipts.contains(EvidenceIdentity(receipt)) ? 1 : 0
                    var expected = try await store.known(receipt.originals)
                    expected.receipts.removeAll { $0.signature == receipt.signature }
                    #expect(try Self.beside(receipt, in: store) == Self.names(of: expected))
                }
            }
            #expect(hits > 0)
            for store in stores { try await store.close() }
        }
    }
}
#endif
