#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("ReceiptReplacement")
struct ReceiptReplacementTests {
    /// The result of adding a receipt to others, which are stored for all of their original transactions.
    private func result(
        adding receipt: VerifiedReceipt, to others: [VerifiedReceipt], canceled: Set<String> = []
    ) throws -> ReceiptReplacement.Result {
        var replacement = try #require(ReceiptReplacement(receipt, limits: .default))
        var rows: [Int64: ReceiptRow] = [:]
        for (number, other) in others.enumerated() {
            let row = try #require(ReceiptRow(other))
            rows[Int64(number)] = row
            replacement.stored += other.originals.intersection(replacement.originals).sorted().map {
                AssignedReceipt(
                    original: $0, number: Int64(number), created: row.created, hasCancellation: canceled.contains($0))
            }
        }
        let read = replacement.numbersToRead
        return replacement.result(reading: rows.filter { read.contains($0.key) }, by: .trusting())
    }

    private static func receipt(
        _ originals: [String], month: Int, canceled: String? = nil, by pki: TestPKI = .standard
    ) throws -> VerifiedReceipt {
        try StoreFixtures.receipt(originals, made: "2024-0\(month)-01T00:00:00Z", by: pki) { receipt in
            for index in receipt.purchases.indices where originals[index] == canceled {
                receipt.purchases[index].cancellationDate = instant("2024-06-02T00:00:00Z")
            }
        }
    }

    @Test("The first receipt of an original transaction is stored, the same one again isn't")
    func first() throws {
        let receipt = try Self.receipt(["1", "2"], month: 7)
        #expect(try result(adding: receipt, to: []).added.map(\.original) == ["1", "2"])
        #expect(try result(adding: receipt, to: [receipt]).isEmpty)
    }

    @Test("The newest receipt replaces others, for each original transaction by itself")
    func newest() throws {
        let (old, new) = (try Self.receipt(["1", "2"], month: 7), try Self.receipt(["2", "3"], month: 8))
        let replaced = try result(adding: new, to: [old])
        #expect(replaced.added.map(\.original) == ["2", "3"] && replaced.removed.map(\.original) == ["2"])
        let older = try result(adding: old, to: [new])
        #expect(older.added.map(\.original) == ["1"] && older.removed.isEmpty)
    }

    @Test("A cancellation that a newer receipt doesn't list stays, and is noted")
    func cancellation() throws {
        let canceled = try StoreFixtures.receipt(["1"]) {
            $0.purchases = ["1", "9"].map {
                TestPurchase("com.example.pro", transaction: $0, at: instant("2024-06-01T00:00:00Z"))
            }
            $0.purchases[1].originalTransactionIdentifier = "1"
            $0.purchases[1].cancellationDate = instant("2024-06-02T00:00:00Z")
        }
        let plain = try Self.receipt(["1"], month: 9)
        #expect(
            try result(adding: plain, to: [canceled], canceled: ["1"])
                == ReceiptReplacement.Result(added: [.init(original: "1", hasCancellation: false)]))
        #expect(
            try result(adding: canceled, to: [plain])
                == ReceiptReplacement.Result(added: [.init(original: "1", hasCancellation: true)]))
    }

    @Test("A receipt that doesn't verify is replaced, unless a former root signed its cancellation")
    func formerRoots() throws {
        let new = try Self.receipt(["1"], month: 7)
        let former = try Self.receipt(["1"], month: 8, by: .impostor)
        #expect(try result(adding: new, to: [former]).removed.count == 1)
        let canceled = try Self.receipt(["1"], month: 8, canceled: "1", by: .impostor)
        let kept = try result(adding: new, to: [canceled], canceled: ["1"])
        #expect(kept.removed.isEmpty && kept.added.count == 1)
    }

    @Test("Older receipts without cancellations needn't be read")
    func reading() throws {
        let new = try Self.receipt(["1"], month: 8)
        var replacement = try #require(ReceiptReplacement(new, limits: .default))
        replacement.stored = [(1, -1, false), (2, -1, true), (3, 0, false)].map { number, offset, isCanceled in
            AssignedReceipt(
                original: "1", number: number, created: replacement.row.created + offset, hasCancellation: isCanceled)
        }
        #expect(replacement.numbersToRead == [2, 3])
    }

    @Test("A receipt that is too large isn't stored, but its purchases are known")
    func large() throws {
        var limits = StoreLimits.default
        limits.maxReceiptBytes = 100
        let replacement = try #require(ReceiptReplacement(Self.receipt(["1"], month: 7), limits: limits))
        #expect(!replacement.isStored)
        #expect(try replacement.purchases == [.test()])
        #expect(try ReceiptReplacement(Self.receipt([], month: 7), limits: limits) == nil)
    }
}
#endif
