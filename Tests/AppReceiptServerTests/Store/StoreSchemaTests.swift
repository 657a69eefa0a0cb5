#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import Testing
import TestSupport
import VerifyReceipt

@testable import AppReceiptServer

@Suite("StoreSchema")
struct StoreSchemaTests {
    /// The tables as version 1 created them.
    private static let version1 = """
        CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
        INSERT INTO grdb_migrations VALUES ('1');
        CREATE TABLE settings (name TEXT NOT NULL PRIMARY KEY, value BLOB NOT NULL);
        CREATE TABLE transactions (
            app TEXT NOT NULL, environment TEXT NOT NULL, identifier TEXT NOT NULL, line TEXT NOT NULL,
            signed INTEGER NOT NULL, token TEXT NOT NULL, PRIMARY KEY (app, environment, identifier));
        CREATE INDEX transactions_line ON transactions (app, environment, line, signed);
        CREATE TABLE renewals (
            app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL, signed INTEGER NOT NULL,
            token TEXT NOT NULL, PRIMARY KEY (app, environment, line));
        CREATE TABLE notifications (
            identifier TEXT NOT NULL PRIMARY KEY, signed INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE receipts (
            number INTEGER PRIMARY KEY, digest BLOB NOT NULL UNIQUE, app TEXT NOT NULL,
            environment TEXT NOT NULL, created INTEGER NOT NULL, der BLOB NOT NULL);
        CREATE TABLE receipt_lines (
            app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL,
            receipt INTEGER NOT NULL REFERENCES receipts (number) ON DELETE CASCADE,
            PRIMARY KEY (app, environment, line)) WITHOUT ROWID;
        CREATE INDEX receipt_lines_receipt ON receipt_lines (receipt);
        CREATE TABLE line_owners (
            app TEXT NOT NULL, environment TEXT NOT NULL, line TEXT NOT NULL, app_account_token BLOB,
            account BLOB, PRIMARY KEY (app, environment, line)) WITHOUT ROWID;
        PRAGMA application_id = 1095912276;
        """

    /// Creates a database of version 1 with the rows that `fill` inserts, and calls `body` with its path.
    private func withVersion1(
        _ fill: @escaping @Sendable (Database, Accounts) throws -> Void, _ body: (String) async throws -> Void
    ) async throws {
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            try await queue.writeWithoutTransaction { database in
                try database.execute(sql: Self.version1)
                try fill(database, Accounts(database))
            }
            try queue.close()
            try await body(path)
        }
    }

    private static func insert(
        _ transaction: VerifiedTransaction, _ database: Database, environment: String = "sandbox"
    ) throws {
        let signed = try #require(transaction.signedDate.milliseconds)
        try database.execute(
            sql: "INSERT INTO transactions VALUES ('com.example.app', ?, ?, ?, ?, ?)",
            arguments: [
                environment, transaction.claims.transactionIdentifier, transaction.original, signed, transaction.token,
            ])
    }

    private static func insert(_ receipt: VerifiedReceipt, _ number: Int, _ database: Database) throws {
        let container = Data(receipt.container)
        try database.execute(
            sql: "INSERT INTO receipts VALUES (?, ?, 'com.example.app', 'sandbox', ?, ?)",
            arguments: [
                number, Data(ContentDigest.sha256(of: container, kind: .receipt)), receipt.creationDate.milliseconds,
                container,
            ])
        for line in receipt.originals {
            try database.execute(
                sql: "INSERT INTO receipt_lines VALUES ('com.example.app', 'sandbox', ?, ?)", arguments: [line, number])
        }
    }

    @Test("Refunds in a database of version 1 are found even among more transactions than the limit")
    func revocations() async throws {
        let refund = try StoreFixtures.transaction(
            StoreFixtures.period("1", signed: "2024-07-02T00:00:00Z", refund: "2024-07-01T00:00:00Z"))
        let newer = try (2...6).map {
            try StoreFixtures.transaction(StoreFixtures.period("\($0)", signed: "2024-08-0\($0)T00:00:00Z"))
        }
        try await withVersion1 { database, _ in
            for transaction in [refund] + newer { try Self.insert(transaction, database) }
            // A row whose token can't be read stays, and is skipped when it is read.
            try database.execute(
                sql: "INSERT INTO transactions VALUES ('com.example.app', 'sandbox', '7', '1', 0, 'x')")
        } _: { path async throws in
            var limits = StoreLimits()
            limits.maxTransactionsPerOriginal = 3
            let store = try TransactionStore(testing: path, limits: limits)
            #expect(try await store.known(["1"]).identifiers == ["1", "6", "5"])
            #expect(try await store.known(["1"]).transactions.first == refund)
            #expect(try await !store.record(refund).isNew)
            try await store.close()
            let queue = try DatabaseQueue(path: path)
            let revoked = try await queue.read {
                try String.fetchAll($0, sql: "SELECT identifier FROM transactions WHERE revoked <> 0")
            }
            #expect(revoked == ["1"])
            #expect(try await queue.read { try String.fetchAll($0, sql: "PRAGMA integrity_check") } == ["ok"])
            #expect(try await queue.read { try Row.fetchAll($0, sql: "PRAGMA foreign_key_check").isEmpty })
            try queue.close()
        }
    }

    @Test("Marks and triggers of a database of version 6 are replaced, and other triggers stay")
    func version6() async throws {
        let receipt = try StoreFixtures.receipt(["1", "2"])
        let row = try #require(ReceiptRow(receipt))
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            try StoreSchema.migrator.migrate(queue, upTo: "6")
            try await queue.write { database in
                try database.execute(
                    sql: """
                        ALTER TABLE receipts ADD COLUMN sole INTEGER NOT NULL DEFAULT 0;
                        CREATE TRIGGER transactions_inserted AFTER INSERT ON transactions BEGIN
                            UPDATE receipts SET sole = 0 WHERE sole = 1 AND number IN (
                                SELECT receipt FROM receipt_originals
                                WHERE app = NEW.app AND environment = NEW.environment AND original = NEW.original);
                        END;
                        CREATE TRIGGER own AFTER INSERT ON renewals BEGIN DELETE FROM settings WHERE name = 'own'; END;
                        """)
                try database.execute(
                    sql: """
                        INSERT INTO receipts VALUES (4, ?, 'com.example.app', 'sandbox', ?, ?, 1);
                        INSERT INTO receipt_originals VALUES ('com.example.app', 'sandbox', '1', 4, 0);
                        INSERT INTO receipt_originals VALUES ('com.example.app', 'sandbox', '2', 4, 0);
                        """, arguments: [row.digest, row.created, Data(row.der)])
            }
            try queue.close()
            let store = try TransactionStore(testing: path)
            let names = try await store.database.read {
                try String.fetchSet($0, sql: "SELECT name FROM sqlite_master WHERE type = 'trigger'")
            }
            #expect(names.count == 12 && names.contains("own"))
            let sole = {
                try await store.database.read { try Int.fetchAll($0, sql: "SELECT receipt FROM sole_receipts") }
            }
            #expect(try await sole().isEmpty)
            try await store.record(receipt)
            #expect(try await sole() == [4])
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("77", of: "2")))
            #expect(try await sole().isEmpty)
            #expect(
                try store.history(beside: receipt).transactions.map(\.claims.transactionIdentifier) == ["77"])
            try await store.close()
        }
    }

    @Test("Receipts in a database of version 1 are returned, and superseded by newer ones")
    func receipts() async throws {
        let made = TestReceipt().with {
            $0.purchases = ["1", "2"].map {
                TestPurchase("com.example.pro", transaction: $0, at: instant("2024-06-01T00:00:00Z"))
            }
        }
        // Version 1 stored containers as they were sent.
        let padded = try StoreFixtures.receipt(container: StoreFixtures.padded(made, bytes: 5_000))
        let canceled = try StoreFixtures.receipt(["3"]) {
            $0.purchases[0].cancellationDate = instant("2024-06-20T00:00:00Z")
        }
        let newer = try StoreFixtures.receipt(["1", "2", "4"], made: "2024-09-01T00:00:00Z")
        let newest = try StoreFixtures.receipt([], made: "2024-10-01T00:00:00Z") {
            $0.purchases = [
                TestPurchase("com.example.pro", transaction: "33", at: instant("2024-06-01T00:00:00Z")).with {
                    $0.originalTransactionIdentifier = "3"
                }
            ]
        }
        try await withVersion1 { database, _ in
            try Self.insert(padded, 4, database)
            try Self.insert(canceled, 7, database)
        } _: { path async throws in
            let store = try TransactionStore(testing: path)
            #expect(try await store.known(["1", "2"]).receipts == [padded])
            #expect(try await store.known(["3"]).receipts == [canceled])
            #expect(try await !store.record(StoreFixtures.receipt(container: made.signed())).isNew)
            #expect(try await store.statistics().receipts == 2)
            #expect(try await store.record(newer).isNew)
            #expect(try await store.known(["1", "2", "4"]).receipts == [newer])
            // The cancellation of transaction 3 is known from the older receipt alone.
            #expect(try await store.record(newest).isNew)
            #expect(Set(try await store.known(["3"]).receipts) == [canceled, newest])
            #expect(try await store.statistics().receipts == 3)
            try await store.close()
        }
    }

    @Test("After migration from version 1, the newest stored appAccountToken determines the owner")
    func owners() async throws {
        let (alice, bob) = (StoreFixtures.alice, StoreFixtures.bob)
        try await withVersion1 { database, accounts in
            // Version 1 kept the token that arrived first.
            for (identifier, day, line, token) in [
                ("1", 11, "1", alice), ("2", 12, "1", bob), ("3", 11, "2", bob), ("4", 12, "2", alice),
            ] {
                try Self.insert(
                    StoreFixtures.transaction(
                        StoreFixtures.period(identifier, of: line, signed: "2024-07-\(day)T00:00:00Z", token: token)),
                    database)
            }
            let renewal = try StoreFixtures.renewal("2", signed: "2024-07-13T00:00:00Z", token: bob)
            try database.execute(
                sql: "INSERT INTO renewals VALUES ('com.example.app', 'sandbox', '2', ?, ?)",
                arguments: [renewal.signedDate.milliseconds, renewal.token])
            for line in ["1", "2"] {
                try database.execute(
                    sql: "INSERT INTO line_owners VALUES ('com.example.app', 'sandbox', ?, ?, NULL)",
                    arguments: [line, accounts.account(alice).digest])
            }
            try database.execute(
                sql: "INSERT INTO line_owners VALUES ('com.example.app', 'sandbox', '3', NULL, ?)",
                arguments: [accounts.account("ann")?.digest])
        } _: { path async throws in
            let store = try TransactionStore(testing: path)
            for line in ["1", "2"] {
                let receipt = try StoreFixtures.receipt([line])
                #expect(try await store.record(receipt, account: alice.uuidString).replays.count == 1)
                #expect(try await store.record(receipt, account: bob.uuidString).replays.isEmpty)
            }
            // An older token that arrives again changes nothing.
            try await store.record(
                StoreFixtures.transaction(StoreFixtures.period("1", signed: "2024-07-11T00:00:00Z", token: alice)))
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: bob.uuidString).replays.isEmpty)
            #expect(try await store.record(StoreFixtures.receipt(["3"]), account: "ben").replays.count == 1)
            #expect(try await store.record(StoreFixtures.receipt(["3"]), account: "ann").replays.isEmpty)
            try await store.close()
        }
    }

    @available(AppReceiptServer 1.0, *)
    @Test("The queue of requests to the App Store in a database of version 3 is kept")
    func queue() async throws {
        try await withDatabasePath { path async throws in
            let queue = try DatabaseQueue(path: path)
            try StoreSchema.migrator.migrate(queue, upTo: "3")
            try await queue.write { database in
                try database.execute(
                    sql: """
                        INSERT INTO completions (app, environment, line, revision, attempts, due)
                        VALUES ('com.example.app', 'sandbox', '70', 'r1', 2, 10),
                        ('com.example.app', 'production', '80', NULL, 0, NULL)
                        """)
            }
            try queue.close()
            let store = try TransactionStore(testing: path)
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            #expect(try await store.scopesOfDueCompletions(at: 10) == [scope])
            let due = try await store.dueCompletions(scope, at: 10, limit: 10)
            #expect(due == [[ScopedOriginal(scope: scope, originalTransactionIdentifier: "70")]])
            let known = try await store.completions(of: ["70"], scope: scope)
            #expect(known["70"] == Completion(completed: nil, revision: "r1", attempts: 2))
            try await store.close()
        }
    }

    @Test("A row without a receipt, which an editor left, doesn't stop the migration")
    func orphan() async throws {
        try await withDatabasePath { path async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            let queue = try DatabaseQueue(path: path)
            try StoreSchema.migrator.migrate(queue, upTo: "3")
            try await queue.writeWithoutTransaction { database in
                try database.execute(
                    sql: """
                        PRAGMA foreign_keys = OFF;
                        INSERT INTO receipt_lines (app, environment, line, receipt, canceled)
                        VALUES ('com.example.app', 'sandbox', '1', 99, 0)
                        """)
            }
            try queue.close()
            let store = try TransactionStore(testing: path)
            #expect(try await store.record(receipt).isNew)
            #expect(try await store.known(["1"]).receipts == [receipt])
            try await store.close()
        }
    }

    @Test("A migrated database has the tables and indexes of a new one")
    func tables() async throws {
        func tables(_ path: String) async throws -> [String: String] {
            let queue = try DatabaseQueue(path: path)
            let tables = try await queue.read { database in
                let rows = try Row.fetchAll(
                    database,
                    sql: "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'grdb_%'")
                return Dictionary(
                    uniqueKeysWithValues: rows.map { row in
                        let sql: String = row["sql"]
                        return (row["name"] as String, sql.split(whereSeparator: \.isWhitespace).joined(separator: " "))
                    })
            }
            try queue.close()
            return tables
        }
        let new = try await withDatabasePath { path async throws in
            try await TransactionStore(testing: path).close()
            return try await tables(path)
        }
        #expect(new.count >= 9)
        try await withVersion1 { _, _ in
        } _: { path async throws in
            try await TransactionStore(testing: path).close()
            #expect(try await tables(path) == new)
        }
    }
}
#endif
