#if Server
import AppReceiptKit
import AppReceiptStore
import AppReceiptSupport
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import StoreTestSupport
import TestSupport
import Testing

@Suite("Rows that are exported and imported")
struct TransferTests {
    private static let refund = StoreFixtures.period(
        "11", of: "10", signed: "2024-12-02T00:00:00Z", refund: "2024-08-01T00:00:00Z")

    private static func original(_ identifier: String) throws -> ScopedOriginal {
        ScopedOriginal(
            scope: try #require(AppScope(app: "com.example.app", .sandbox)), originalTransactionIdentifier: identifier)
    }

    /// Records evidence of each kind, events, deliveries, requests, and a forgotten purchase with a refund.
    private static func fill(_ store: any EvidenceStore) async throws {
        let app = try #require(AppScope(app: "com.example.app", .sandbox))
        try await store.enqueueDeliveries(
            to: "com.example.app https://a", app: app.app, includesNotifications: true, at: 1)
        try await store.record(StoreFixtures.receipt(["1", "2", "3"]), account: "ann")
        try await store.record(StoreFixtures.receipt(["3"], made: "2024-09-02T15:04:05Z"), account: "ben")
        let bought = StoreFixtures.period("11", of: "10", token: StoreFixtures.alice)
        try await store.record(StoreFixtures.transaction(bought), account: "ann")
        try await store.record(StoreFixtures.transaction(refund))
        try await store.record(StoreFixtures.renewal("10"))
        let notification = try StoreFixtures.notification(
            1, StoreFixtures.period("21", of: "20"), renewal: StoreFixtures.renewal("20")
        ) { $0.status = .active }
        _ = try await store.record(
            CustomerEvidence(notifications: [notification]), account: nil, app: nil, from: .forwarded(body: nil))
        try await store.record(
            StoreFixtures.transaction(StoreFixtures.period("31", of: "30", refund: "2024-08-01T00:00:00Z")),
            account: "cy")
        #expect(try await store.forget("cy") == 1)
        try await store.enqueueDeliveries(
            to: "com.example.app https://a", app: app.app, includesNotifications: true, at: 2)
        try await store.enqueue(["1", "2"], in: app, due: 5, ifNotCompletedAfter: 0)
        try await store.setCatchUpPosition(
            CatchUpPosition(reached: 7, periodLength: 3), of: app,
            leaving: NotificationGap(period: 1..<2, attempts: 1, due: 9))
    }

    /// All rows, read in pages, after a round trip through JSON.
    private static func rows(of store: any EvidenceStore, limit: Int = 100) async throws -> [StoredRow] {
        var rows: [StoredRow] = []
        for kind in StoredRow.Kind.allCases {
            var position: [StoredValue]?
            repeat {
                let page = try await store.rows(of: kind, after: position, limit: limit)
                for row in page.rows {
                    let json = try #require(try AppStoreJSON(parsing: AppStoreJSON.object(row.json).text()[...]).object)
                    rows.append(try #require(StoredRow(json: json)))
                }
                position = page.next
            } while position != nil
        }
        return rows
    }

    /// The rows as texts without when purchases are compared again, which an import changes.
    private static func contents(of store: any EvidenceStore) async throws -> Set<String> {
        try await Set(
            rows(of: store).map { row in
                var object = row.json
                if row.kind == .purchase { object["due"] = nil }
                return String(decoding: AppStoreJSON.object(object).text(), as: UTF8.self)
            })
    }

    private static func refunds(of originals: Set<String>, in store: any EvidenceStore) async throws -> [String?] {
        PurchaseLedger(
            try await store.known(originals), app: "com.example.app", environment: .sandbox, originals: originals
        ).transactions.filter(\.hasRevocation).map(\.transactionIdentifier).sorted { ($0 ?? "") < ($1 ?? "") }
    }

    @Test("Pages of any size contain each row once", arguments: StoreEngine.allCases)
    func pages(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await Self.fill(store)
            let all = try await Self.rows(of: store)
            #expect(Set(all.map(\.kind)) == Set(StoredRow.Kind.allCases))
            for limit in 1...3 {
                let rows = try await Self.rows(of: store, limit: limit)
                #expect(rows.count == all.count)
                #expect(Set(rows) == Set(all))
            }
        }
    }

    @Test(
        "Everything moves from any engine into any, in any order of lines, and a second time changes nothing",
        arguments: StoreEngine.allCases, StoreEngine.persistent)
    func moves(from source: StoreEngine, to target: StoreEngine) async throws {
        try await source.withStore { store async throws in
            try await Self.fill(store)
            let rows = try await Self.rows(of: store)
            let contents = try await Self.contents(of: store)
            let events = try await store.events(after: 0, limit: 100, apps: nil)
            #expect(!events.events.isEmpty)
            for order in [rows, rows.reversed(), rows.shuffled()] {
                try await target.withDatabase { database async throws in
                    let empty = try database.open()
                    #expect(try await empty.prepareImport(of: store.identity()) == .everything)
                    try await empty.close()
                    let moved = try database.open()
                    for page in stride(from: 0, to: order.count, by: 3) {
                        let result = try await moved.insert(Array(order[page..<min(page + 3, order.count)]))
                        #expect(result.rejected.isEmpty && result.forgotten == 0)
                    }
                    let found = try await Self.contents(of: moved)
                    #expect(found.subtracting(contents).isEmpty)
                    #expect(contents.subtracting(found).isEmpty)
                    #expect(try await moved.events(after: 0, limit: 100, apps: nil) == events)
                    #expect(try await moved.identity() == store.identity())
                    for account in ["ann", "ben", "cy", StoreFixtures.alice.uuidString] {
                        #expect(try await moved.purchases(of: account) == store.purchases(of: account))
                    }
                    #expect(try await Self.refunds(of: ["10", "30"], in: moved) == ["11", "31"])
                    #expect(try await moved.prepareImport(of: store.identity()) == .everything)
                    #expect(try await moved.insert(order).stored.isEmpty)
                    // What was reported isn't reported again.
                    _ = try await moved.recordDueEvents(at: Date())
                    #expect(try await moved.events(after: events.next, limit: 100, apps: nil).events.isEmpty)
                    // A repetition of the notification is known.
                    let repeated = try StoreFixtures.notification(1, StoreFixtures.period("21", of: "20"))
                    #expect(try await !moved.record(repeated).isNew)
                    try await moved.close()
                }
            }
        }
    }

    @Test(
        "A row that doesn't verify, or whose columns differ, is rejected with a code", arguments: StoreEngine.allCases)
    func rejected(engine: StoreEngine) async throws {
        try await engine.withStore(.testsAndFormer) { source async throws in
            try await source.record(
                StoreFixtures.transaction(StoreFixtures.period("1"), by: StoreFixtures.formerPKI))
            try await source.record(StoreFixtures.transaction(StoreFixtures.period("2", of: "2")))
            try await source.record(StoreFixtures.receipt(["3"]))
            let rows = try await Self.rows(of: source)
            func edited(_ kind: StoredRow.Kind, _ member: String, _ value: AppStoreJSON) throws -> StoredRow? {
                var object = try #require(rows.last { $0.kind == kind }).json
                object[member] = value
                return StoredRow(json: object)
            }
            let token = try #require(rows.last { $0.kind == .transaction }?.json["token"]?.string)
            let bad = [
                try #require(rows.first { $0.kind == .transaction && $0.json["identifier"] == "1" }),
                try #require(try edited(.transaction, "token", .string(String(token.dropLast(8) + "AAAAAAAA")))),
                try #require(try edited(.transaction, "original", "9")),
                try #require(try edited(.transaction, "revoked", 1)),
                try #require(try edited(.receipt, "originals", #"["4"]"#)),
                try #require(try edited(.receipt, "created", 4)),
            ]
            #expect(try edited(.transaction, "signed", "soon") == nil)
            let codes = [
                "root-not-trusted", "signature-invalid", "row-differs", "row-differs", "row-differs", "row-differs",
            ]
            let verifier = StoredRowVerifier(
                receipts: StoreTrust.tests.receipts, signedData: StoreTrust.tests.signedData)
            #expect(bad.map { verifier.rejection(of: $0)?.code } == codes)
            try await engine.withStore { store async throws in
                let result = try await store.insert(bad)
                #expect(bad.indices.map { result.rejected[$0]?.code } == codes)
                #expect(try await Self.rows(of: store).isEmpty)
            }
            #expect(rows.compactMap { verifier.rejection(of: $0)?.code } == [codes[0]])
        }
    }

    @Test(
        "What was forgotten stays forgotten if an older export is imported, but a refund in it counts",
        arguments: StoreEngine.allCases)
    func forgottenStays(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1", "2"])
            try await store.record(receipt, account: "ann")
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("11", of: "10")), account: "ann")
            let notification = try StoreFixtures.notification(1, StoreFixtures.period("11", of: "10"))
            try await store.record(notification)
            let before = try await Self.rows(of: store)
            #expect(try await store.forget("ann") == 3)
            // Received before, from another server.
            var refund = try #require(before.first { $0.kind == .transaction }).json
            let revoked = try StoreFixtures.transaction(Self.refund)
            refund["token"] = .string(revoked.token)
            refund["signed"] = .number(
                AppStoreJSON.Number(Int64(revoked.signedDate.timeIntervalSince1970 * 1000)))
            refund["revoked"] = 1
            #expect(try await store.insert(before).forgotten == 2)
            #expect(try await store.purchases(of: "ann").isEmpty)
            #expect(try await store.known(["1", "2", "10"]).originals.isEmpty)
            #expect(try await store.sightings(of: Self.original("10")).isEmpty)
            #expect(try await Self.refunds(of: ["10"], in: store).isEmpty)
            let row = try #require(StoredRow(json: refund))
            #expect(try await store.insert([row]).stored == [.transaction: 1])
            #expect(try await Self.refunds(of: ["10"], in: store) == ["11"])
            #expect(try await !store.record(notification).isNew)
        }
    }

    @Test(
        "Older rows replace nothing, a refund is never lost, and what changes for a customer is an event, once",
        arguments: StoreEngine.allCases)
    func order(engine: StoreEngine) async throws {
        let bought = try StoreFixtures.transaction(StoreFixtures.period("11", of: "10"))
        let refund = try StoreFixtures.transaction(Self.refund)
        try await engine.withStore { old async throws in
            try await old.record(bought)
            let oldRows = try await Self.rows(of: old)
            try await engine.withStore { new async throws in
                try await new.record(refund, account: "ann")
                #expect(try await new.insert(oldRows).stored[.transaction] == nil)
                #expect(try await Self.refunds(of: ["10"], in: new) == ["11"])
                #expect(try await new.account(of: Self.original("10")) == "ann")
                let newRows = try await Self.rows(of: new)
                #expect(try await old.insert(newRows.filter { $0.kind == .transaction }).stored == [.transaction: 1])
                #expect(try await Self.refunds(of: ["10"], in: old) == ["11"])
                let last = try await old.identity().lastEvent
                for _ in 0..<2 { _ = try await old.recordDueEvents(at: Date()) }
                let events = try await old.events(after: last, limit: 10, apps: nil).events
                #expect(events.map(\.type) == [.refunded])
            }
        }
    }

    @Test(
        "Hashed accounts are imported by an empty database, which has the key from then on, and by no other",
        arguments: StoreEngine.persistent)
    func hashed(engine: StoreEngine) async throws {
        try await engine.withDatabase { database async throws in
            let source = try database.open(hashesAccounts: true)
            try await source.record(StoreFixtures.receipt(["1"]), account: "ann")
            let (identity, rows) = (try await source.identity(), try await Self.rows(of: source))
            try await source.close()
            #expect(identity.hashesAccounts)
            try await StoreEngine.sqlite.withDatabase { other async throws in
                let used = try other.open()
                try await used.record(StoreFixtures.receipt(["2"]), account: "ann")
                #expect(try await used.prepareImport(of: identity) == .otherAccounts)
                let names = try await used.identity()
                try await used.close()
                // The other way, names become hashes.
                let hashing = try database.open()
                #expect(try await hashing.prepareImport(of: names) == .evidence)
                try await hashing.close()
            }
            try await StoreEngine.sqlite.withDatabase { other async throws in
                let empty = try other.open()
                #expect(try await empty.prepareImport(of: identity) == .everything)
                try await empty.close()
                let moved = try other.open()
                _ = try await moved.insert(rows)
                #expect(try await moved.purchases(of: "ann") == [Self.original("1")])
                try await moved.record(StoreFixtures.receipt(["5"]), account: "ann")
                #expect(try await moved.purchases(of: "ann").count == 2)
                #expect(try await moved.account(of: Self.original("5"))?.hasPrefix("hmac-sha256:") == true)
                try await moved.close()
            }
        }
    }

    @Test(
        "Names of accounts become hashes in a database that hashes them, also in events",
        arguments: StoreEngine.persistent)
    func names(engine: StoreEngine) async throws {
        try await engine.withStore { source async throws in
            try await source.record(StoreFixtures.receipt(["1"]), account: "ann")
            let rows = try await Self.rows(of: source)
            try await engine.withDatabase { database async throws in
                let store = try database.open(hashesAccounts: true)
                _ = try await store.insert(rows)
                #expect(try await store.purchases(of: "ann") == [Self.original("1")])
                let stored = try await Self.rows(of: store)
                #expect(!stored.contains { row in row.json.members.contains { $0.value == "ann" } })
                try await store.close()
            }
        }
    }

    @Test(
        "One purchase is forgotten whatever its account; its refund stays, and its events name nobody",
        arguments: StoreEngine.allCases)
    func forgetsOne(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            try await Self.fill(store)
            let count = try await store.forgetCount()
            #expect(try await store.forget(Self.original("10")) != nil)
            #expect(try await store.forgetCount() > count)
            #expect(try await store.forget(Self.original("10")) == nil)
            #expect(try await store.forget(Self.original("99")) == nil)
            #expect(try await Self.refunds(of: ["10"], in: store) == ["11"])
            #expect(try await store.known(["10"]).transactions.isEmpty)
            #expect(try await store.account(of: Self.original("10")) == nil)
            let events = try await store.events(after: 0, limit: 100, apps: nil).events
            #expect(events.filter { $0.originalTransactionIdentifier == "10" }.allSatisfy { $0.account == nil })
            #expect(events.contains { $0.account == "ann" })
            #expect(try await store.purchases(of: "ann").count == 3)
            // Nobody's purchase too.
            #expect(try await store.forget(Self.original("20")) != nil)
        }
    }

    @Test(
        "Without a notification, what it contained counts as before, and its repetition is new",
        arguments: StoreEngine.allCases)
    func pruned(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let refund = try StoreFixtures.notification(1, Self.refund, renewal: StoreFixtures.renewal("10"))
            try await store.record(refund)
            try await store.record(StoreFixtures.notification(2, nil) { $0.notificationType = .test })
            let before = try await Self.rows(of: store)
            let notifications = before.filter { $0.kind == .notification }
            #expect(notifications.count == 2)
            try await store.removeNotifications(notifications)
            #expect(try await Self.rows(of: store) == before.filter { $0.kind != .notification })
            #expect(try await Self.refunds(of: ["10"], in: store) == ["11"])
            #expect(try await store.record(refund).isNew)
        }
    }

    @Test("The details count what is stored", arguments: StoreEngine.allCases)
    func details(engine: StoreEngine) async throws {
        try await engine.withStore { store async throws in
            let empty = try await store.details()
            #expect(empty.signed == nil && empty.accounts == 0)
            try await Self.fill(store)
            let details = try await store.details()
            #expect(details.engine.hasPrefix(engine.rawValue.prefix(6)))
            #expect(details.schemaVersion == 1 && details.bytes > 0)
            // Alice owns one of those that Ann submitted; Ben, none.
            #expect(details.accounts == 2 && details.tombstones == 1 && details.statuses == 1)
            #expect(details.events == (try await store.events(after: 0, limit: 100, apps: nil)).events.count)
            #expect(details.signed?.upperBound == Int64(instant("2024-12-02T00:00:00Z").timeIntervalSince1970 * 1000))
        }
    }
}
#endif
