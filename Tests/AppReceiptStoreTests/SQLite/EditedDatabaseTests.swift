#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import StoreTestSupport
import Testing
import TestSupport
import VerifyReceipt

@testable import AppReceiptStore

@Suite("An edited database")
struct EditedDatabaseTests {
    /// Creates a database with a transaction, a renewal and a receipt of original 1, edits it, and opens it again.
    private func withEdited(
        _ sql: String, _ value: DatabaseValue? = nil, _ body: (SQLiteStore) async throws -> Void
    ) async throws {
        try await withDatabasePath { path async throws in
            let store = try SQLiteStore(testing: path)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")), account: "ann")
            try await store.record(StoreFixtures.renewal())
            try await store.record(StoreFixtures.receipt(["1"]))
            try await store.close()
            let queue = try DatabaseQueue(path: path)
            let arguments = StatementArguments(value.map { [$0] } ?? [])
            try await queue.write { try $0.execute(sql: sql, arguments: arguments) }
            try queue.close()
            let edited = try SQLiteStore(testing: path)
            try await body(edited)
            try await edited.close()
        }
    }

    /// An edit, the originals to look up, and the numbers of transactions, renewals, receipts and skipped rows that are
    /// expected.
    struct Edit: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let sql: String
        var value: @Sendable () throws -> DatabaseValue = { .null }
        var originals: Set<String> = ["1"]
        let expected: [Int]

        init(
            _ name: String, _ sql: String, originals: Set<String> = ["1"], expected: [Int],
            value: @escaping @Sendable () throws -> DatabaseValue = { .null }
        ) {
            testDescription = name
            self.sql = sql
            self.originals = originals
            self.expected = expected
            self.value = value
        }
    }

    static let edits = [
        Edit("none", "SELECT ?", expected: [1, 1, 1, 0]),
        Edit("a forged transaction", "UPDATE transactions SET token = ?", expected: [0, 1, 1, 1]) {
            try StoreFixtures.period("2").signed(by: StoreFixtures.formerPKI).databaseValue
        },
        Edit("an altered transaction", "UPDATE transactions SET token = ?", expected: [0, 1, 1, 1]) {
            let parts = try StoreFixtures.period("2").signed().split(separator: ".")
            let other = try StoreFixtures.period("3").signed().split(separator: ".")
            return "\(parts[0]).\(other[1]).\(parts[2])".databaseValue
        },
        Edit("another genuine transaction", "UPDATE transactions SET token = ?", expected: [0, 1, 1, 1]) {
            try StoreFixtures.period("3").signed().databaseValue
        },
        Edit("not a token", "UPDATE transactions SET token = x'00FF00FF'", expected: [0, 1, 1, 1]),
        Edit(
            "a transaction of another original", "UPDATE transactions SET original = '7'", originals: ["1", "7"],
            expected: [0, 1, 1, 1]),
        Edit("another identifier", "UPDATE transactions SET identifier = '9'", expected: [0, 1, 1, 1]),
        Edit("another date", "UPDATE transactions SET signed = signed + 1", expected: [0, 1, 1, 1]),
        Edit("a date that isn't a number", "UPDATE transactions SET signed = 'never'", expected: [0, 1, 1, 1]),
        Edit(
            "a revocation that the token doesn't state", "UPDATE transactions SET revoked = 1", expected: [1, 1, 1, 0]),
        Edit("a revocation that isn't a number", "UPDATE transactions SET revoked = 'yes'", expected: [0, 1, 1, 1]),
        Edit("a forged renewal", "UPDATE renewals SET token = ?", expected: [1, 0, 1, 1]) {
            try TestRenewalInfo("com.example.plus", original: "1").signed(by: StoreFixtures.formerPKI).databaseValue
        },
        Edit(
            "a renewal of another original", "UPDATE renewals SET original = '7'", originals: ["1", "7"],
            expected: [1, 0, 1, 1]),
        Edit("another date of the renewal", "UPDATE renewals SET signed = 0", expected: [1, 0, 1, 1]),
        Edit("a forged receipt", "UPDATE receipts SET der = ?", expected: [1, 1, 0, 1]) {
            Data(try StoreFixtures.receipt(["1"], by: .impostor).strippedContainer()).databaseValue
        },
        Edit("a receipt of another customer", "UPDATE receipts SET der = ?", expected: [1, 1, 0, 1]) {
            Data(try StoreFixtures.receipt(["5"]).strippedContainer()).databaseValue
        },
        Edit("not a receipt", "UPDATE receipts SET der = 17", expected: [1, 1, 0, 1]),
        Edit("another date of the receipt", "UPDATE receipts SET created = created + 1", expected: [1, 1, 0, 1]),
        Edit("another app of the receipt", "UPDATE receipts SET app = 'com.example.other'", expected: [1, 1, 0, 1]),
        Edit(
            "an original that the receipt doesn't contain", "UPDATE receipt_originals SET original = '7'",
            originals: ["7"],
            expected: [0, 0, 0, 1]),
        Edit(
            "a cancellation that the receipt doesn't state", "UPDATE receipt_originals SET canceled = 7",
            expected: [1, 1, 1, 0]),
    ]

    @Test("Rows that don't verify, or whose columns are wrong, are skipped and counted", arguments: edits)
    func skipsInvalidRows(_ edit: Edit) async throws {
        let value = try edit.value()
        try await withEdited(edit.sql, edit.sql.contains("?") ? value : nil) { store async throws in
            let known = try await store.known(edit.originals)
            #expect(
                [
                    known.transactions.count, known.renewals.count, known.receipts.count,
                    try await store.statistics().skippedRows,
                ]
                    == edit.expected)
        }
    }

    @Test("A row that was moved to another environment isn't returned")
    func movedRows() async throws {
        try await withEdited(
            """
            UPDATE transactions SET environment = 'production'; UPDATE renewals SET environment = 'production';
            UPDATE receipts SET environment = 'production'; UPDATE receipt_originals SET environment = 'production'
            """
        ) { store async throws in
            let known = try await store.known(["1"], .production)
            #expect(known.transactions.isEmpty && known.renewals.isEmpty && known.receipts.isEmpty)
            #expect(try await store.statistics().skippedRows == 3)
        }
    }

    @Test("A row with a forged date doesn't prevent genuine data from being stored")
    func replaced() async throws {
        let later = try StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z")
        try await withEdited(
            """
            UPDATE transactions SET signed = 9000000000000; UPDATE renewals SET signed = 9000000000000, token = 'x';
            UPDATE receipts SET created = 9000000000000
            """
        ) { store async throws in
            #expect(try await store.record(StoreFixtures.transaction(StoreFixtures.period("2"))).isNew)
            #expect(try await store.record(StoreFixtures.renewal()).isNew)
            #expect(try await store.record(later).isNew)
            let known = try await store.known(["1"])
            #expect(known.transactions.count == 1 && known.renewals.count == 1 && known.receipts == [later])
            #expect(try await store.statistics().receipts == 1)
        }
    }

    @Test("A receipt whose bytes were replaced is repaired when it is recorded again")
    func receiptAgain() async throws {
        let receipt = try StoreFixtures.receipt(["1"])
        try await withEdited("UPDATE receipts SET der = x'3000'") { store async throws in
            #expect(try await store.record(receipt).isNew)
            #expect(try await store.known(["1"]).receipts == [receipt])
            #expect(try await store.statistics().receipts == 1)
        }
    }

    @Test("A malformed account binding has no effect")
    func accountBinding() async throws {
        try await withEdited("UPDATE account_bindings SET account = x'FF'") { store async throws in
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ben").replays.isEmpty)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ann").replays.count == 1)
        }
    }

}
#endif
