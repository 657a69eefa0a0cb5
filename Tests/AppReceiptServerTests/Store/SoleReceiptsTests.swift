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

@Suite("Sole receipts")
struct SoleReceiptsTests {
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

    @Test("What another connection stores is read beside a receipt from then on")
    func otherConnection() async throws {
        try await withDatabasePath { path async throws in
            let stores = try [TransactionStore(testing: path), TransactionStore(testing: path)]
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

    @Test("A closed store returns nothing", arguments: StoreKind.allCases)
    func closed(_ kind: StoreKind) async throws {
        try await withStore(kind) { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            try await store.record(receipt)
            try await store.close()
            #expect(throws: StoreError.closed) { try store.history(beside: receipt) }
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
                    hits += try await store.database.read { database in
                        try StoreReader.isSoleReceipt(Data(ContentDigest.sha256(of: receipt)), in: database) ? 1 : 0
                    }
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
