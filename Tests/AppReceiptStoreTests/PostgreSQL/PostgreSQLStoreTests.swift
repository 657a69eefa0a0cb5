#if Postgres
import AppReceiptKit
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@testable import AppReceiptStore

@Suite("PostgreSQLStore", .needsPostgres)
struct PostgreSQLStoreTests {
    private static let originals = (1...6).map { "\($0)" }

    /// A period of a month of 2024.
    private static func period(_ month: Int, of original: String, refund: String? = nil) throws -> VerifiedTransaction {
        let start = String(format: "2024-%02d-01T00:00:00Z", month)
        let end = String(format: "2024-%02d-28T00:00:00Z", month)
        return try StoreFixtures.transaction(
            TestTransaction(
                "com.example.plus", transaction: "\(original)0\(month)", original: original, at: instant(start),
                until: instant(end)
            ).with {
                $0.signedDate = instant(start) + 1
                $0.revocationDate = refund.map(instant)
            })
    }

    /// What a customer may have: periods, a refund, renewal information, notifications and receipts.
    private static func evidence() throws -> [CustomerEvidence] {
        try originals.enumerated().flatMap { index, original in
            let periods = try (1...6).map { month in
                CustomerEvidence(transactions: [
                    try period(month, of: original, refund: month == 3 && index == 2 ? "2024-05-01T00:00:00Z" : nil)
                ])
            }
            let notification = try StoreFixtures.notification(
                index + 1, StoreFixtures.period("\(original)07", of: original, signed: "2024-07-01T00:00:01Z"))
            return periods + [
                CustomerEvidence(renewals: [try StoreFixtures.renewal(original, signed: "2024-06-02T00:00:00Z")]),
                CustomerEvidence(notifications: [notification]),
                CustomerEvidence(receipts: [try StoreFixtures.receipt([original], made: "2024-07-02T00:00:00Z")]),
            ]
        } + [
            CustomerEvidence(receipts: [try StoreFixtures.receipt(originals, made: "2024-06-02T00:00:00Z")]),
            CustomerEvidence(receipts: [
                try StoreFixtures.receipt(Array(originals.prefix(3)), made: "2024-07-03T00:00:00Z")
            ]),
            CustomerEvidence(notifications: [
                try StoreFixtures.notification(9, nil) { $0.notificationType = .rescindConsent }
            ]),
        ]
    }

    private static func record(
        _ evidence: CustomerEvidence, in store: any EvidenceStore
    ) async throws(StoreError) -> RecordResult {
        let app = evidence.renewals.isEmpty ? nil : RenewalApp.trusted("com.example.app")
        return try await store.record(evidence, account: nil, app: app, from: .client)
    }

    /// All events, in their order.
    private static func events(_ store: any EvidenceStore) async throws -> [EntitlementEvent] {
        try await store.events(after: 0, limit: 10_000, apps: nil).events
    }

    @Test("Stores that record the same purchases at once agree, without deadlocks, and report each change once")
    func concurrent() async throws {
        let clock: @Sendable () -> Date = { instant("2024-06-15T00:00:00Z") }
        let everything = try Self.evidence()
        try await PostgresTestDatabase.with { database async throws in
            let stores = try (0..<4).map { _ in try PostgreSQLStore(testing: database, clock: clock) }
            // A reader of events that never waits for a writer.
            let reader = Task { () async throws -> [EntitlementEvent] in
                var (read, cursor): ([EntitlementEvent], Int64) = ([], 0)
                while !Task.isCancelled {
                    let page = try await stores[0].events(after: cursor, limit: 7, apps: nil, environments: nil)
                    read += page.events
                    cursor = page.next
                }
                return read
            }
            let new = try await withThrowingTaskGroup { group in
                for store in stores {
                    for part in everything.shuffled() {
                        group.addTask { () async throws -> Int in try await Self.record(part, in: store).newCount }
                    }
                }
                return try await group.reduce(0) { $0 + $1 }
            }
            let events = try await Self.events(stores[1])
            try await Task.sleep(nanoseconds: 200_000_000)
            reader.cancel()
            let read = try await reader.value
            #expect(read == events)
            #expect(events.map(\.cursor) == events.indices.map { Int64($0) + 1 })
            // A receipt is new once or not at all, by the order of arrival.
            let receipts = everything.reduce(0) { $0 + $1.receipts.count }
            #expect((everything.count - receipts...everything.count).contains(new))
            #expect(events.count { $0.type == .consentRescinded } == 1)
            for original in Self.originals {
                let own = events.filter { $0.originalTransactionIdentifier == original }
                #expect(own.first?.before == nil && own.count { $0.before == nil } == 1)
                #expect(Set(own.map { [$0.type.rawValue, $0.before, $0.after] }).count == own.count)
            }

            let reference = try SQLiteStore(testing: nil, clock: clock)
            for part in everything { _ = try await Self.record(part, in: reference) }
            for original in Self.originals {
                let (known, expected) = (try await stores[2].known([original]), try await reference.known([original]))
                #expect(Set(known.identifiers) == Set(expected.identifiers))
                #expect(known.renewals == expected.renewals && known.notifications == expected.notifications)
                #expect(Set(known.receipts.map(\.creationDate)) == Set(expected.receipts.map(\.creationDate)))
            }
            let (states, expected) = (
                try await stores[3].reportedPurchases(after: nil, limit: 100, apps: nil, environments: nil),
                try await reference.reportedPurchases(after: nil, limit: 100, apps: nil, environments: nil)
            )
            #expect(states.purchases == expected.purchases)
            #expect(try await stores[0].statistics().skippedRows == 0)
            for store in stores { try await store.close() }
        }
    }

    @Test("An account that is forgotten while others record its purchases leaves nothing, or everything newer")
    func forgotten() async throws {
        let account = StoreFixtures.alice.uuidString.lowercased()
        try await PostgresTestDatabase.with { database async throws in
            let stores = try (0..<3).map { _ in try PostgreSQLStore(testing: database) }
            let receipt = try StoreFixtures.receipt(Self.originals, made: "2024-07-02T00:00:00Z")
            for _ in 0..<5 {
                try await withThrowingTaskGroup { group in
                    for store in stores {
                        group.addTask { _ = try await store.record(receipt, account: account) }
                        group.addTask { _ = try await store.forget(account, in: nil) }
                    }
                    try await group.waitForAll()
                }
                _ = try await stores[0].forget(account, in: nil)
                #expect(try await stores[1].known(Set(Self.originals)).receipts.isEmpty)
                let left = try database.execute(
                    "SELECT (SELECT count(*) FROM receipts) + (SELECT count(*) FROM receipt_originals)")
                #expect(left == ["0"])
            }
            for store in stores { try await store.close() }
        }
    }

    @Test("A receipt of several purchases stays as long as one of them has it")
    func sharedReceipt() async throws {
        try await PostgresTestDatabase.with { database async throws in
            let store = try PostgreSQLStore(testing: database)
            try await store.record(StoreFixtures.receipt(["1", "2", "3"], made: "2024-07-02T00:00:00Z"))
            for (number, original) in ["1", "2", "3"].enumerated() {
                #expect(try await store.known(["3"]).receipts.count == 1)
                try await store.record(
                    StoreFixtures.receipt([original], made: "2024-08-0\(number + 1)T00:00:00Z"))
                #expect(try await store.statistics().receipts == min(number + 2, 3))
            }
            try await store.close()
        }
    }

    @Test("Requests to the App Store that one store has taken are another's only after the lease")
    func requests() async throws {
        try await PostgresTestDatabase.with { database async throws in
            let stores = try (0..<2).map { _ in try PostgreSQLStore(testing: database) }
            let scope = try #require(AppScope(app: "com.example.app", .sandbox))
            try await stores[0].enqueue(Set(Self.originals), in: scope, due: 10, ifNotCompletedAfter: 0)
            let taken = try await withThrowingTaskGroup { group in
                for store in stores {
                    group.addTask { try await store.dueCompletions(in: scope, at: 20, limit: 4).flatMap(\.self) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(taken.flatMap(\.self).count == 6)
            #expect(Set(taken.flatMap(\.self)).count == 6)
            #expect(try await stores[0].dueCompletions(in: scope, at: 700_000, limit: 10).flatMap(\.self).count == 6)
            #expect(try await stores[1].scopesOfDueCompletions(at: 700_001).isEmpty)
            try await stores[0].postpone(
                ScopedOriginal(scope: scope, originalTransactionIdentifier: "1"), attempts: 1, due: 700_002,
                ifNotCompletedAfter: 0)
            #expect(try await stores[1].dueCompletions(in: scope, at: 700_002, limit: 10).flatMap(\.self).count == 1)
            for store in stores { try await store.close() }
        }
    }

    @Test("A store goes on when its connections are closed, also while it writes")
    func connections() async throws {
        try await PostgresTestDatabase.with { database async throws in
            let store = try PostgreSQLStore(testing: database)
            let killer = Task {
                while !Task.isCancelled {
                    _ = try? database.execute(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'appreceipt'
                        AND pid IN (SELECT pid FROM pg_locks JOIN pg_class ON pg_class.oid = relation
                            WHERE relnamespace = '\(database.schema)'::regnamespace)
                        """)
                    try? await Task.sleep(nanoseconds: 20_000_000)
                }
            }
            var acknowledged: [String] = []
            for number in 1...300 where acknowledged.count <= 50 {
                let transaction = try StoreFixtures.transaction(StoreFixtures.period("\(number)", of: "\(number)"))
                // Several may be lost in succession.
                guard await rejection({ try await store.record(transaction) }) == nil else { continue }
                acknowledged.append("\(number)")
            }
            killer.cancel()
            await killer.value
            #expect(acknowledged.count > 50)
            for original in acknowledged { #expect(try await store.known([original]).transactions.count == 1) }
            let events = try await Self.events(store).compactMap(\.originalTransactionIdentifier)
            #expect(Set(events).count == events.count && Set(events).isSuperset(of: acknowledged))
            try await store.check()
            try await store.close()
        }
    }

    // MARK: Opening

    @Test("Stores that open an empty database at once create its tables once")
    func migration() async throws {
        try await PostgresTestDatabase.with { database async throws in
            let stores = try await withThrowingTaskGroup { group in
                for _ in 0..<4 { group.addTask { try PostgreSQLStore(testing: database) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(try database.execute("SELECT version FROM appreceipt_schema") == ["1"])
            // All have the key of the first one.
            for store in stores { try await store.record(StoreFixtures.receipt(["1"]), account: "ann") }
            #expect(Set(stores.map { $0.accounts.account("ann")?.hash }).count == 1)
            for store in stores { try await store.close() }
        }
    }

    @Test("A newer schema, and the table of another program, are rejected and left as they are")
    func otherSchemas() async throws {
        try await PostgresTestDatabase.with { database async throws in
            try await PostgreSQLStore(testing: database).close()
            try database.execute("UPDATE appreceipt_schema SET version = 99")
            #expect(await rejection { try PostgreSQLStore(testing: database) } == .newerDatabase)
            #expect(await rejection { try PostgreSQLStore.check(testing: database) } == .newerDatabase)
            #expect(try database.execute("SELECT version FROM appreceipt_schema") == ["99"])
        }
        try await PostgresTestDatabase.with { database async throws in
            #expect(try PostgreSQLStore.check(testing: database) == 0)
            try database.execute("CREATE TABLE events (name text)")
            #expect(await rejection { try PostgreSQLStore(testing: database) } == .foreignDatabase)
            #expect(try database.execute("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()") == ["1"])
        }
    }

    @Test("A database that wouldn't keep what is acknowledged is rejected")
    func durability() async throws {
        try await PostgresTestDatabase.with { database async throws in
            let address = try #require(
                PostgresAddress(parsing: database.text + "%20-csynchronous_commit%3Doff"))
            let trust = StoreTrust.tests
            let error = await rejection {
                try PostgreSQLStore(address: address, receipts: trust.receipts, signedData: trust.signedData)
            }
            #expect(error == .notDurable)
        }
    }

    @Test("A database that isn't there is unreachable, and the server's words tell why")
    func unreachable() async throws {
        let address = try #require(PostgresAddress(parsing: "postgres://127.0.0.1:1/none"))
        let trust = StoreTrust.tests
        let error = await rejection {
            try PostgreSQLStore(address: address, receipts: trust.receipts, signedData: trust.signedData)
        }
        #expect(error == .databaseUnreachable)
        #expect(error?.reason?.contains("127.0.0.1") == true)
        #expect(error.map { "\($0)".contains("127.0.0.1") } == true)
    }

    @Test("A refund of a former root is found when the store is checked without opening it")
    func formerRoots() async throws {
        try await PostgresTestDatabase.with { database async throws in
            let store = try PostgreSQLStore(testing: database, .testsAndFormer)
            try await store.record(
                StoreFixtures.transaction(
                    StoreFixtures.period("1", refund: "2024-07-01T00:00:00Z"), by: StoreFixtures.formerPKI))
            try await store.record(
                StoreFixtures.receipt(["2"], by: .impostor) {
                    $0.purchases[0].cancellationDate = instant("2024-07-01T00:00:00Z")
                })
            try await store.close()
            #expect(try PostgreSQLStore.check(testing: database) == 2)
            #expect(try PostgreSQLStore.check(testing: database, .testsAndFormer) == 0)
        }
    }
}

extension PostgreSQLStore {
    /// Checks a database of tests.
    fileprivate static func check(
        testing database: PostgresTestDatabase, _ trust: StoreTrust = .tests
    ) throws(StoreError) -> Int {
        try check(address: database.address, receipts: trust.receipts, signedData: trust.signedData)
    }
}
#endif
