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

@testable import AppReceiptStore

@Suite("SQLiteStore")
struct SQLiteStoreTests {
    private static func hasRecorded(_ receipt: VerifiedReceipt, in store: SQLiteStore) throws -> Bool {
        store.hasRecorded(CustomerEvidence(receipts: [receipt]), in: try store.forgetCount())
    }

    @Test("A receipt is known to be recorded if no account submitted it: a token may give it to another one")
    func knownToBeRecorded() async throws {
        try await withSQLiteStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            try await store.record(receipt, account: "ann")
            #expect(try !Self.hasRecorded(receipt, in: store))
            try await store.record(receipt)
            #expect(try Self.hasRecorded(receipt, in: store))
            let empty = try StoreFixtures.receipt([])
            #expect(try await !store.record(empty).isStored)
            #expect(try !Self.hasRecorded(empty, in: store))
        }
    }

    @Test("A database that hashes accounts contains none in plain text, not even those of before")
    func hidden() async throws {
        try await withDatabasePath { path async throws in
            let plain = try SQLiteStore(testing: path)
            try await plain.record(StoreFixtures.receipt(["3"]), account: "ann@example.com")
            #expect(try await plain.purchases(of: "ann@example.com").count == 1)
            try await plain.close()
            let store = try SQLiteStore(testing: path, hashesAccounts: true)
            #expect(try await store.purchases(of: "ann@example.com").count == 1)
            try await store.record(StoreFixtures.receipt(["1"]), account: "ann@example.com")
            try await store.record(StoreFixtures.receipt(["2"]), account: StoreFixtures.alice.uuidString)
            try await store.close()
            let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
            for name in [
                "ann@example.com", StoreFixtures.alice.uuidString, StoreFixtures.alice.uuidString.lowercased(),
            ] {
                #expect(bytes.range(of: Data(name.utf8)) == nil)
            }
        }
    }

    @Test("A receipt is stored without unsigned bytes")
    func padded() async throws {
        try await withSQLiteStore { store async throws in
            let made = TestReceipt().with {
                $0.purchases = [TestPurchase("com.example.pro", transaction: "1", at: instant("2024-06-01T00:00:00Z"))]
            }
            try await store.record(StoreFixtures.receipt(container: StoreFixtures.padded(made)))
            let size = try await store.database.read {
                try Int.fetchOne($0, sql: "SELECT MAX(LENGTH(der)) FROM receipts")
            }
            #expect(try #require(size) < 6_000)
        }
    }

    @Test(
        "A receipt that is recorded again changes nothing in the database, also for an account that is always written")
    func recordedAgain() async throws {
        let receipt = try StoreFixtures.receipt(["1", "2"])
        let account = UUID().uuidString
        try await withSQLiteStore { store async throws in
            #expect(try await store.record(receipt, account: account).isNew)
            let changes = try await store.database.write { $0.totalChangesCount }
            #expect(changes > 0)
            #expect(try await !store.record(receipt, account: account).isNew)
            #expect(try await store.database.write { $0.totalChangesCount } == changes)
        }
    }

    @Test("A store is ready again after the operator deleted a refund of a former root")
    func deletedRefund() async throws {
        try await withDatabasePath { path async throws in
            let former = try SQLiteStore(testing: path, .testsAndFormer)
            let refund = StoreFixtures.period("1", refund: "2024-07-01T00:00:00Z")
            try await former.record(StoreFixtures.transaction(refund, by: StoreFixtures.formerPKI))
            try await former.close()
            let store = try SQLiteStore(testing: path)
            #expect(await rejection { try await store.known(["1"]) } == .untrustedRevocation)
            try await store.database.write { try $0.execute(sql: "DELETE FROM transactions WHERE original = '1'") }
            try await store.check()
            #expect(try await store.known(["1"]).transactions.isEmpty)
            try await store.close()
        }
    }

    // MARK: Statements

    @Test("Ten times the purchases in a receipt take at most eleven times the statements to store and supersede")
    func manyPurchases() async throws {
        let few = try await statements(purchases: 100)
        let many = try await statements(purchases: 1_000)
        #expect(few > 0 && many <= few * 11, "\(few), \(many)")
    }

    /// The number of SQL statements that record three receipts with the same purchases: the first, a newer, and an
    /// older one.
    private func statements(purchases count: Int) async throws -> Int {
        let originals = (1...count).map { "\(10_000 + $0)" }
        let receipts = try ["2024-08-10", "2024-08-11", "2024-08-09"].map { date in
            try StoreFixtures.receipt(originals, made: date + "T00:00:00Z") { receipt in
                for index in receipt.purchases.indices where index % 2 == 0 {
                    receipt.purchases[index].cancellationDate = instant("2024-06-20T00:00:00Z")
                }
            }
        }
        let statements = LockedValueBox(0)
        try await withSQLiteStore { store async throws in
            try await store.database.writeWithoutTransaction { database in
                database.trace { _ in statements.withLock { $0 += 1 } }
            }
            for receipt in receipts { try await store.record(receipt, account: "ann") }
            try await store.database.writeWithoutTransaction { $0.trace(options: []) }
            #expect(try await store.known(Set(originals)).receipts == [receipts[1]])
            #expect(try await store.statistics().receipts == 1)
        }
        return statements.withLock(\.self)
    }

    @Test("Every statement finds rows by an index, and none sorts them")
    func queryPlans() async throws {
        let statements = LockedValueBox<Set<String>>([])
        try await withSQLiteStore { store async throws in
            try await store.database.writeWithoutTransaction { database in
                database.trace { event in
                    // A trigger is reported as a comment.
                    guard case .statement(let statement) = event, !statement.sql.hasPrefix("--") else { return }
                    statements.withLock { _ = $0.insert(statement.sql) }
                }
            }
            try await store.record(
                CustomerEvidence(
                    receipts: ["2024-08-10", "2024-08-11"].map {
                        try StoreFixtures.receipt(["1", "2"], made: $0 + "T00:00:00Z")
                    },
                    transactions: [
                        StoreFixtures.transaction(StoreFixtures.period("1", token: StoreFixtures.alice))
                    ],
                    renewals: [StoreFixtures.renewal("2")],
                    notifications: [
                        StoreFixtures.notification(1, StoreFixtures.period("2"), renewal: StoreFixtures.renewal())
                    ]), account: "ann", app: .claimed("com.example.app"))
            #expect(try await !store.known(["1", "2"]).isEmpty)
            let page = try await store.reportedPurchases(after: nil, limit: 1, apps: nil, environments: nil)
            _ = try await store.reportedPurchases(
                after: page.last, limit: 1, apps: ["com.example.app"], environments: [.sandbox])
            try await store.database.writeWithoutTransaction { $0.trace(options: []) }
            #expect(statements.withLock { $0.count } > 15)
            let plans = try await store.database.read { database in
                try statements.withLock(\.self).filter { !$0.hasPrefix("BEGIN") && !$0.hasPrefix("COMMIT") }.map {
                    // The plan doesn't depend on the values.
                    let bound = $0.replacingOccurrences(of: "\\?[0-9]*", with: "'x'", options: .regularExpression)
                    let steps = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(bound)")
                    return ($0, steps.map { $0["detail"] as String })
                }
            }
            // A page of the list begins where the one before ended.
            #expect(plans.contains { $0.1.contains { $0.contains("(app=? AND environment=? AND original>?)") } })
            // SQLite's table of the last numbers has a row for each of two tables, and no index.
            for (sql, plan) in plans where !sql.contains("FROM sqlite_sequence") {
                for step in plan where step.hasPrefix("SCAN") {
                    #expect(step.hasPrefix("SCAN requested") || step == "SCAN CONSTANT ROW", "\(sql): \(plan)")
                }
                // The index provides the order of the newest transactions.
                #expect(!plan.contains { $0.contains("B-TREE FOR ORDER BY") }, "\(sql): \(plan)")
            }
        }
    }
}
#endif
