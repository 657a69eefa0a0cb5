#if Server
import AppReceiptKit
import AppReceiptTesting
import AppStoreSignedData
import Foundation
import GRDB
import TestSupport
import Testing
import VerifyReceipt
import AppReceiptSupport

@testable import AppReceiptServer

@Suite("StoreReader")
struct StoreReaderTests {
    /// Records transactions of an original, signed on consecutive days of July. Those signed on `refunded` days are
    /// refunded.
    private static func record(
        _ store: TransactionStore, of original: String, days: ClosedRange<Int>, refunded: Set<Int> = []
    ) async throws {
        for day in days {
            let period = StoreFixtures.period(
                "\(original)\(day)", of: original, signed: "2024-07-\(day)T00:00:00Z",
                refund: refunded.contains(day) ? "2024-07-01T00:00:00Z" : nil)
            try await store.record(StoreFixtures.transaction(period))
        }
    }

    /// Returns what is stored beside a receipt, in the number of transactions, renewals and receipts.
    private static func beside(_ receipt: VerifiedReceipt, in store: TransactionStore) throws -> [Int] {
        let history = try store.history(beside: receipt)
        return [history.transactions.count, history.renewals.count, history.receipts.count]
    }

    /// Returns whether a receipt is marked as sole, nil if it isn't stored.
    private static func isSole(_ receipt: VerifiedReceipt, in store: TransactionStore) async throws -> Bool? {
        let digest = ReceiptRow(receipt)?.digest
        return try await store.database.read {
            try Bool.fetchOne(
                $0, sql: "SELECT sole FROM receipts WHERE digest = ?",
                arguments: [digest])
        }
    }

    @Test(
        "What is stored about any original transaction of a sole receipt is read beside it from then on",
        arguments: ["transaction", "renewal", "notification", "receipt"], ["1", "3"])
    func besideSoleReceipt(_ kind: String, _ original: String) async throws {
        for storesReceiptFirst in [true, false] {
            try await withStore { store async throws in
                let receipt = try StoreFixtures.receipt(["1", "2", "3"])
                if storesReceiptFirst {
                    try await store.record(receipt)
                    #expect(try await Self.isSole(receipt, in: store) == true)
                    #expect(try Self.beside(receipt, in: store) == [0, 0, 0])
                }
                let period = StoreFixtures.period("77", of: original)
                var expected = [1, 0, 0]
                switch kind {
                case "transaction": try await store.record(StoreFixtures.transaction(period))
                case "notification": try await store.record(StoreFixtures.notification(1, period))
                case "renewal":
                    try await store.record(StoreFixtures.renewal(original), app: "com.example.app")
                    expected = [0, 1, 0]
                default:
                    try await store.record(StoreFixtures.receipt([original, "9"], made: "2024-09-01T00:00:00Z"))
                    expected = [0, 0, 1]
                }
                if !storesReceiptFirst { try await store.record(receipt) }
                #expect(try await Self.isSole(receipt, in: store) == false)
                #expect(try Self.beside(receipt, in: store) == expected)
            }
        }
    }

    @Test("A receipt is sole again once nothing else is stored about its original transactions")
    func soleAgain() async throws {
        try await withStore { store async throws in
            let old = try StoreFixtures.receipt(["1", "2"])
            let new = try StoreFixtures.receipt(["1", "2"], made: "2024-09-01T00:00:00Z")
            try await store.record(old)
            try await store.record(StoreFixtures.receipt(["5"]))
            try await store.record(new)
            #expect(try await Self.isSole(new, in: store) == true)
            #expect(try await Self.isSole(old, in: store) == nil)
            #expect(try Self.beside(new, in: store) == [0, 0, 0])
            #expect(try Self.beside(old, in: store) == [0, 0, 1])
        }
    }

    @Test("A receipt that an editor marked as sole isn't any more after it is recorded again")
    func healed() async throws {
        try await withDatabasePath { path async throws in
            let receipt = try StoreFixtures.receipt(["1", "2"])
            var store = try TransactionStore(testing: path)
            try await store.record(receipt)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("77", of: "2")))
            try await Self.edit(store, "UPDATE receipts SET sole = 1")
            #expect(try Self.beside(receipt, in: store) == [0, 0, 0])
            try await store.close()
            store = try TransactionStore(testing: path)
            try await store.record(receipt)
            #expect(try Self.beside(receipt, in: store) == [1, 0, 0])
            try await store.close()
        }
    }

    @Test("A receipt of which an original transaction needs a newer one isn't sole")
    func partlyNeeded() async throws {
        try await withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["1"], made: "2024-09-01T00:00:00Z"))
            let old = try StoreFixtures.receipt(["1", "2"])
            try await store.record(old)
            #expect(try await Self.isSole(old, in: store) == false)
            #expect(try Self.beside(old, in: store) == [0, 0, 1])
        }
    }

    /// Changes the database as a program without foreign keys would.
    private static func edit(_ store: TransactionStore, _ sql: String) async throws {
        try await store.database.writeWithoutTransaction { database in
            try database.execute(sql: "PRAGMA foreign_keys = OFF; \(sql); PRAGMA foreign_keys = ON")
        }
    }

    @Test("A receipt isn't sole because of a row whose receipt an editor deleted")
    func orphan() async throws {
        try await withStore { store async throws in
            try await store.record(StoreFixtures.receipt(["2"], made: "2024-09-01T00:00:00Z"))
            try await store.record(StoreFixtures.receipt(["7"]))
            try await Self.edit(store, "DELETE FROM receipts WHERE number = 2")
            let older = try StoreFixtures.receipt(["1", "2"])
            try await store.record(older)
            #expect(try await Self.isSole(older, in: store) == false)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("77", of: "2")))
            #expect(try Self.beside(older, in: store) == [1, 0, 1])
        }
    }

    @Test("A receipt with a known status isn't sole, also if an editor deleted everything else that is known")
    func status() async throws {
        try await withStore { store async throws in
            let receipt = try StoreFixtures.receipt(["1"])
            try await store.record(
                StoreFixtures.notification(1, StoreFixtures.period("77", of: "1")) { $0.status = .expired })
            try await Self.edit(store, "DELETE FROM transactions")
            try await store.record(receipt)
            #expect(try await Self.isSole(receipt, in: store) == false)
            #expect(try store.history(beside: receipt).notifications.count == 1)
        }
    }

    @Test("Beyond the limit of an original, only its own oldest transactions are left out")
    func limitPerOriginal() async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        try await withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...15)
            try await Self.record(store, of: "2", days: 20...22)
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("31", of: "3")))
            for line in ["1", "2"] { try await store.record(StoreFixtures.renewal(line), app: "com.example.app") }
            let known = try await store.known(["1", "2", "3"])
            #expect(Set(known.identifiers) == ["115", "114", "113", "222", "221", "220", "31"])
            #expect(known.renewals.count == 2)
            #expect(try await store.known(["1", "2", "3"]).identifiers == known.identifiers)
        }
    }

    @Test("Beyond the limit the periods that end last are read, in any order of arrival and of signing")
    func newestPeriods() async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        for order in [Array(1...6), Array((1...6).reversed()), [3, 6, 1, 5, 2, 4]] {
            try await withStore(limits: limits) { store async throws in
                for (index, number) in order.enumerated() {
                    let start = instant("2024-06-01T00:00:00Z") + Double(number) * 2_592_000
                    let period = StoreFixtures.period("\(number)").with {
                        $0.purchaseDate = start
                        $0.expirationDate = start + 2_592_000
                        $0.signedDate = instant("2025-06-01T00:00:00Z") + Double(index)
                    }
                    try await store.record(StoreFixtures.transaction(period))
                }
                // A copy that was restored after its end isn't a new period.
                let restored = StoreFixtures.period("9").with {
                    $0.purchaseDate = instant("2025-05-01T00:00:00Z")
                    $0.expirationDate = instant("2024-06-15T00:00:00Z")
                    $0.signedDate = instant("2025-07-01T00:00:00Z")
                }
                try await store.record(StoreFixtures.transaction(restored))
                #expect(Set(try await store.known(["1"]).identifiers) == ["6", "5", "4"])
            }
        }
    }

    @Test("A refund is read before newer transactions of its original")
    func refundsFirst() async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        try await withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...19, refunded: [10, 12])
            #expect(Set(try await store.known(["1"]).identifiers) == ["110", "112", "119"])
        }
    }

    @Test("Refunds that leave no room for the newest transaction exceed the limit, and are never read partially")
    func tooManyRefunds() async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 3
        try await withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...12, refunded: [10, 11, 12])
            #expect(try await store.known(["1"]).transactions.count == 3)
            try await Self.record(store, of: "1", days: 13...13)
            #expect(await rejection { try await store.known(["1"]) } == .tooMuchEvidence)
            #expect(await rejection { try await store.known(["1", "2"]) } == .tooMuchEvidence)
            #expect(try await store.known(["2"]).transactions.isEmpty)
            #expect(try await store.known(["1"], .production).transactions.isEmpty)
        }
    }

    @Test("Transactions and receipts beyond the limits of a receipt are too much evidence")
    func limitsPerReceipt() async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 2
        limits.maxTransactionsPerReceipt = 5
        limits.maxReceiptsPerReceipt = 2
        try await withStore(limits: limits) { store async throws in
            for line in 1...3 {
                try await Self.record(store, of: "\(line)", days: 10...14)
                try await store.record(StoreFixtures.receipt(["\(line)", "9"], made: "2024-07-0\(line)T00:00:00Z"))
            }
            #expect(try await store.known(["1", "2"]).transactions.count == 4)
            #expect(try await store.known(["1", "2"]).receipts.count == 2)
            #expect(await rejection { try await store.known(["1", "2", "3"]) } == .tooMuchEvidence)
        }
        limits.maxTransactionsPerReceipt = 6
        limits.maxReceiptsPerReceipt = 3
        try await withStore(limits: limits) { store async throws in
            for line in 1...3 { try await Self.record(store, of: "\(line)", days: 10...14) }
            #expect(try await store.known(["1", "2", "3"]).transactions.count == 6)
            for line in 1...4 {
                try await store.record(StoreFixtures.receipt(["\(line)"], made: "2024-07-0\(line)T00:00:00Z"))
            }
            #expect(try await store.known(["1", "2", "3"]).receipts.count == 3)
            #expect(await rejection { try await store.known(["1", "2", "3", "4"]) } == .tooMuchEvidence)
        }
    }

    @Test("Limits of any value are accepted", arguments: [Int.min, -1, 0, Int.max])
    func extremeLimits(_ limit: Int) async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = limit
        limits.maxTransactionsPerReceipt = limit
        try await withStore(limits: limits) { store async throws in
            try await Self.record(store, of: "1", days: 10...12)
            #expect(try await store.known(["1"]).identifiers.contains("112"))
        }
    }

    @Test("A refund isn't hidden by newer transactions up to the limit")
    func manyTransactions() async throws {
        var limits = StoreLimits()
        limits.maxTransactionsPerOriginal = 100
        try await withStore(limits: limits) { store async throws in
            try await store.record(
                StoreFixtures.transaction(
                    StoreFixtures.period("1", signed: "2024-07-02T00:00:00Z", refund: "2024-07-01T00:00:00Z")))
            for number in 1...105 {
                try await store.record(StoreFixtures.transaction(StoreFixtures.period("\(10_000 + number)")))
                guard number % 20 == 0 else { continue }
                try await store.record(
                    StoreFixtures.transaction(
                        StoreFixtures.period("\(20_000 + number)", of: number % 40 == 0 ? "2" : "3")))
            }
            let known = try await store.known(["1", "2", "3"])
            #expect(known.transactions.filter { $0.original == "1" }.count == 100)
            #expect(known.transactions.count == 105)
            #expect(known.transactions.contains { $0.claims.revocationDate != nil })

            let body = request(
                try TestReceipt().with {
                    $0.purchases = [
                        TestPurchase("com.example.plus", transaction: "1", at: instant("2024-06-01T00:00:00Z"))
                    ]
                }.signed())
            let responder = VerifyReceiptResponder(
                verifier: ReceiptVerifier(anchors: try TestPKI.standard.anchors), environments: .both)
            let response = await responder.response(to: body, evidence: store)
            #expect(
                response.json["receipt"]?["in_app"]?[0]?["cancellation_date"]?.string == "2024-07-01 00:00:00 Etc/GMT")
        }
    }

    @Test("Each receipt is returned once, for any number of originals")
    func manyOriginals() async throws {
        try await withStore { store async throws in
            let lines = (1...1300).map { "\(10_000 + $0)" }
            let receipt = try StoreFixtures.receipt(lines)
            try await store.record(receipt)
            for line in ["10001", "10700", "11300"] {
                try await store.record(StoreFixtures.transaction(StoreFixtures.period(line, of: line)))
                try await store.record(StoreFixtures.renewal(line), app: "com.example.app")
            }
            let known = try await store.known(Set(lines))
            #expect(known.receipts == [receipt])
            #expect(known.transactions.count == 3)
            #expect(known.renewals.count == 3)
            #expect(try await store.statistics().originalTransactions == 1300)
        }
    }

    @Test("Every statement finds rows by an index, and none sorts them")
    func queryPlans() async throws {
        let database = try StoreDatabase.writer(at: nil)
        let statements = LockedValueBox<Set<String>>([])
        let scope = try #require(AppScope(app: "com.example.app", .sandbox))
        let evidence = StoredEvidenceVerifier(
            receipts: ReceiptVerifier(anchors: try TestPKI.standard.anchors),
            signedData: SignedDataVerifier(anchors: try TestPKI.signedData.anchors), maxCachedBytes: 0)
        let receipts = try ["2024-08-10", "2024-08-11"].map {
            try StoreFixtures.receipt(["1", "2"], made: $0 + "T00:00:00Z")
        }
        let transaction = try StoreFixtures.transaction(StoreFixtures.period("1", token: StoreFixtures.alice))
        let notification = try StoreFixtures.notification(
            1, StoreFixtures.period("2"), renewal: StoreFixtures.renewal())
        let renewal = try StoreFixtures.renewal("2")
        try await database.write { database in
            let accounts = try Accounts(database)
            let writing = StoreWriter(evidence: evidence, accounts: accounts, maxReceiptBytes: 1 << 20)
            database.trace { event in
                // A trigger is reported as a comment.
                guard case .statement(let statement) = event, !statement.sql.hasPrefix("--") else { return }
                statements.withLock { _ = $0.insert(statement.sql) }
            }
            _ = try writing.write(transaction, for: accounts.account("ann"), in: database)
            for receipt in receipts { _ = try writing.write(receipt, for: accounts.account("ann"), in: database) }
            _ = try writing.write(renewal, app: "com.example.app", onlyIfKnown: true, in: database)
            _ = try writing.write(notification, in: database)
            _ = try StoreReader(of: ["1", "2"], scope: scope, limits: .default, in: database)
            database.trace()
        }
        #expect(statements.withLock { $0.count } > 15)
        let plans = try await database.read { database in
            try statements.withLock { $0 }.map { sql in
                // The plan doesn't depend on the values.
                let bound = sql.replacingOccurrences(of: "\\?[0-9]*", with: "'x'", options: .regularExpression)
                let steps = try Row.fetchAll(database, sql: "EXPLAIN QUERY PLAN \(bound)")
                return (sql, steps.map { $0["detail"] as String })
            }
        }
        for (sql, plan) in plans {
            for step in plan where step.hasPrefix("SCAN") {
                #expect(step.hasPrefix("SCAN requested") || step == "SCAN CONSTANT ROW", "\(sql): \(plan)")
            }
            // The index provides the order of the newest transactions.
            #expect(!plan.contains { $0.contains("B-TREE FOR ORDER BY") }, "\(sql): \(plan)")
        }
        try database.close()
    }

    @Test("An identifier with a zero byte, at which SQLite truncates strings, isn't stored")
    func zero() async throws {
        try await withStore { store async throws in
            #expect(
                try await store.record(StoreFixtures.transaction(StoreFixtures.period("2", of: "1\0"))) == .notStored)
            #expect(try await store.record(StoreFixtures.transaction(StoreFixtures.period("2\0"))) == .notStored)
            #expect(try await store.record(StoreFixtures.renewal("1\0"), app: "com.example.app") == .notStored)
            #expect(try await store.record(StoreFixtures.renewal(), app: "com.example.app\0") == .notStored)
            #expect(try await store.record(StoreFixtures.receipt(["1\0"]), account: "ann") == .notStored)
            #expect(try await store.record(StoreFixtures.receipt(["1"]), account: "ben").replays.isEmpty)
        }
    }

    @Test("An original that isn't a number is unknown")
    func strangeOriginals() async throws {
        try await withStore { store async throws in
            try await store.record(StoreFixtures.transaction(StoreFixtures.period("2")))
            for line in ["", "1' OR '1' = '1", "1\0", "%", "?"] {
                #expect(try await store.known([line]).transactions.isEmpty)
            }
            #expect(try await store.known([]).transactions.isEmpty)
        }
    }
}
#endif
