#if Postgres
import AppReceiptSupport
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

extension Trait where Self == ConditionTrait {
    /// Skips tests without a PostgreSQL server.
    static var needsPostgres: Self {
        .enabled(
            if: PostgresTestServer.address != nil, "Needs POSTGRES_TEST_ADDRESS: scripts/with-postgres.sh sets it")
    }
}

@Suite("PostgresSession", .needsPostgres)
struct PostgresSessionTests {
    private func withSession(
        _ body: (PostgresTestDatabase, PostgresSession) async throws -> Void
    ) async throws {
        try await PostgresTestDatabase.with { database async throws in
            let session = PostgresSession(database.address)
            try PostgresSchema.migrate(session)
            try await body(database, session)
        }
    }

    /// Inserts a setting whose name is the number.
    private static func insert(
        _ number: Int, with session: PostgresSession,
        then body: (PostgresTransaction) throws(StoreError) -> Void = { _ in }
    ) throws(StoreError) {
        try session.write { transaction throws(StoreError) in
            _ = try transaction.run("INSERT INTO settings VALUES ($1, '')", values: [.text("\(number)")])
            try body(transaction)
        }
    }

    private static func numbers(in database: PostgresTestDatabase) throws -> [String] {
        try database.execute("SELECT name FROM settings WHERE name ~ '^[0-9]+$' ORDER BY name")
    }

    @Test("Every value of a parameter is returned as it was")
    func values() async throws {
        try await withSession { _, session async throws in
            let texts: [String?] = ["", nil, "a\"b\\c,{}", "é😀", String(repeating: "x", count: 100_000)]
            let numbers: [Int64?] = [0, -1, nil, .max, .min]
            let blobs: [[UInt8]?] = [[], [0, 255, 0], nil, [UInt8](repeating: 7, count: 70_000), [1]]
            let statement = PostgresStatement(
                """
                SELECT * FROM unnest($1::text[], $2::bigint[], $3::bytea[], $4::boolean[]) AS rows (a, b, c, d)
                UNION ALL SELECT $5, $6, $7, $8
                """,
                values: [
                    .texts(texts), .integers(numbers), .manyBytes(blobs), .booleans([true, false, true, false, true]),
                    .text(nil), .integer(nil), .bytes(nil), .boolean(false),
                ])
            let rows = try session.read([statement])[0].rows
            #expect(rows.map { $0.text(0) } == texts + [nil])
            #expect(rows.map { $0.integer(1) } == numbers + [nil])
            #expect(rows.map { $0.bytes(2) } == blobs + [nil])
            #expect(rows.map { $0.boolean(3) } == [true, false, true, false, true, false])
            let empty = PostgresStatement(
                "SELECT cardinality($1::text[]), cardinality($2::bigint[])", values: [.texts([]), .integers([])])
            #expect(try session.read([empty])[0].first?.integer(0) == 0)
        }
    }

    @Test("A text with a zero byte is rejected before it is sent")
    func zeroByte() async throws {
        try await withSession { _, session async throws in
            let error = await rejection {
                try session.read([PostgresStatement("SELECT $1::text", values: [.text("a\0")])])
            }
            #expect(error?.databaseCode == "PostgreSQL 22021")
        }
    }

    @Test("A statement that fails rolls back, and the session goes on")
    func failure() async throws {
        try await withSession { database, session async throws in
            let error = await rejection {
                try Self.insert(1, with: session) { transaction throws(StoreError) in
                    _ = try transaction.run("SELECT 1 / 0")
                }
            }
            #expect(error == .failed && error?.databaseCode == "PostgreSQL 22012")
            #expect(
                await rejection { try Self.insert(2, with: session) { _ throws(StoreError) in throw .busy } } == .busy)
            try Self.insert(3, with: session)
            #expect(try Self.numbers(in: database) == ["3"])
        }
    }

    @Test("A connection that is lost is replaced, also inside of a transaction")
    func lost() async throws {
        try await withSession { database, session async throws in
            let kill = """
                SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
                WHERE application_name = 'appreceipt' AND query NOT LIKE '%pg_stat_activity%'
                AND pid IN (SELECT pid FROM pg_locks WHERE relation = '\(database.schema).settings'::regclass)
                """
            var kills = 0
            try Self.insert(1, with: session) { _ in
                guard kills < 3 else { return }
                kills += 1
                #expect((try? database.execute(kill)) == ["t"])
            }
            #expect(kills == 3)
            #expect(try Self.numbers(in: database) == ["1"])
        }
    }

    @Test(
        "A commit whose answer is lost is found, and one that is lost is repeated: both are there once",
        arguments: [true, false])
    func lostCommit(isAnswer: Bool) async throws {
        try await withSession { database, _ async throws in
            let proxy = try #require(PostgresProxy(in: database))
            defer { proxy.stop() }
            let session = PostgresSession(proxy.address)
            try Self.insert(1, with: session)
            for number in 2...4 {
                proxy.set(isAnswer ? .loseAnswer : .loseCommit)
                let before = proxy.commits
                // Otherwise, the repeated insertion would fail.
                try Self.insert(number, with: session)
                #expect(proxy.commits == before + (isAnswer ? 1 : 2))
            }
            #expect(try Self.numbers(in: database) == ["1", "2", "3", "4"])
        }
    }

    @Test("A database that doesn't respond is unreachable within two seconds")
    func silent() async throws {
        try await withSession { database, _ async throws in
            let proxy = try #require(PostgresProxy(in: database))
            defer { proxy.stop() }
            let session = PostgresSession(proxy.address)
            try Self.insert(1, with: session)
            for isOpen in [true, false] {
                proxy.set(.silent)
                if !isOpen { session.close() }
                let start = Date()
                #expect(throws: StoreError.databaseUnreachable) { try session.read([PostgresStatement("SELECT 1")]) }
                #expect(Date().timeIntervalSince(start) < 2)
                proxy.set(.forward)
                try Self.insert(isOpen ? 2 : 3, with: session)
            }
        }
    }

    @Test("While a database is unreachable, what waits fails at once, and it is used again when it is back")
    func pool() async throws {
        try await withSession { database, _ async throws in
            let proxy = try #require(PostgresProxy(in: database))
            defer { proxy.stop() }
            let outage = PostgresPool.SharedOutage(nil)
            let pool = PostgresPool(proxy.address, count: 2, outage: outage)
            let other = PostgresPool(proxy.address, count: 1, outage: outage)
            let statement = PostgresStatement("SELECT 1")
            _ = try await pool.read([statement])
            _ = try await other.read([statement])
            proxy.set(.silent)
            // One after another, they would take a minute.
            await withTaskGroup { group in
                for _ in 0..<80 {
                    group.addTask {
                        #expect(await rejection { try await pool.read([statement]) } == .databaseUnreachable)
                    }
                }
            }
            let start = Date()
            #expect(await rejection { try await other.read([statement]) } == .databaseUnreachable)
            #expect(Date().timeIntervalSince(start) < 1)
            proxy.set(.forward)
            await waitUntil { await rejection { try await pool.read([statement]) } == nil }
            #expect(await rejection { try await other.read([statement]) } == nil)
            pool.close()
            other.close()
        }
    }

    @Test("Transactions that meet each other are repeated")
    func deadlock() async throws {
        try await withSession { database, session async throws in
            for number in [1, 2] { try Self.insert(number, with: session) }
            try await withThrowingTaskGroup { group in
                for order in [["1", "2"], ["2", "1"]] {
                    let address = database.address
                    group.addTask {
                        let session = PostgresSession(address)
                        for _ in 0..<5 {
                            try session.write { transaction throws(StoreError) in
                                for name in order {
                                    _ = try transaction.run(
                                        "UPDATE settings SET value = value || '\\x01' WHERE name = $1",
                                        values: [.text(name)])
                                }
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(
                try database.execute("SELECT length(value) FROM settings WHERE name IN ('1', '2')") == ["10", "10"])
        }
    }
}
#endif
